"""Commands that promise to wait do; what waits goes on without them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from threading import Thread
from typing import Any

import pytest

from hq.cli import tail, transport
from tests.support.servers import House

from .conftest import HQ, Shell


def test_a_helper_is_waited_for_and_its_steps_are_told_meanwhile(working_cli: Shell) -> None:
    said = working_cli("subagent", "run", "explore", "Which tasks are open?")

    assert said.code == 0 and "success" in said.lines[0] and "Nothing is open." in said.out
    assert "task_list" in said.err


def test_so_is_the_agent_of_a_project_by_whatever_name(working_cli: Shell) -> None:
    working_cli("project", "create", "--name", "Website")

    said = working_cli("project", "run", "Website", "Which tasks are open?", "--json")

    assert said.json["ok"] and said.json["data"]["status"] != "queued"


def test_without_waiting_it_goes_on_and_is_waited_for_later(working_cli: Shell) -> None:
    begun = working_cli("subagent", "run", "explore", "Which tasks are open?", "--no-wait", "--json")
    later = working_cli("worker", "wait", begun.json["data"]["worker"])

    assert begun.code == 0 and begun.json["data"]["status"] == "queued"
    assert later.code == 0 and "Nothing is open." in later.out


def test_ctrl_c_leaves_it_running_and_says_how_to_come_back(house: House) -> None:
    asked = subprocess.Popen(
        [*HQ, "subagent", "run", "explore", "Which tasks are open?"],
        env=house.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert asked.stderr is not None
    begun = asked.stderr.readline()  # nobody works in this house, so it stays where it is
    asked.send_signal(signal.SIGINT)
    _, err = asked.communicate(timeout=30)

    assert "Ctrl-C leaves it running" in begun
    assert asked.returncode == 4 and "it goes on without you; `hq worker wait" in err


def test_whoever_asked_hears_the_answer_from_the_stream(
    cli: Shell, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("agent", "load")
    token = cli("auth", "token", "--agent", "operator", "--json").json["data"]["token"]
    founder, sent, threads = {"HQ_TOKEN": os.environ["HQ_TOKEN"]}, list[str](), list[Thread]()
    follow, post = tail.stream, transport.post

    def answer() -> None:
        [ask] = json.loads(shell("inbox", "--json", **founder).out)["data"]["items"]
        shell("ask", "answer", ask["slug"], "--text", "Middle", **founder)

    def followed(*args: Any) -> Any:
        threads.append(Thread(target=answer))
        threads[-1].start()
        yield from follow(*args)

    def posted(url: str, *args: Any) -> Any:
        sent.append(url)
        return post(url, *args)

    monkeypatch.setattr(tail, "stream", followed)
    monkeypatch.setattr(transport, "post", posted)
    asked = cli("agent", "ask", "founder", "Which size?", "--timeout", "50", HQ_TOKEN=token)
    threads[0].join()

    assert asked.code == 0 and "Middle" in asked.out
    assert [url.rpartition("/api/")[2] for url in sent] == ["agent/ask"] * 2 and len(threads) == 1


def test_nobody_is_waited_for_longer_than_was_said(cli: Shell) -> None:
    cli("agent", "load")
    token = cli("auth", "token", "--agent", "operator", "--json").json["data"]["token"]

    asked = cli("agent", "ask", "founder", "Which size?", "--timeout", "1", HQ_TOKEN=token)

    assert asked.code == 4 and "no answer yet; `hq agent read" in asked.err
