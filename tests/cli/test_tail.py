"""`hq events tail`: the same lines from a server and from the database itself, and an orderly end."""

from __future__ import annotations

import json
import signal
import subprocess

import pytest

from tests.cli.conftest import HQ


@pytest.fixture
def tail(house):
    started: list[subprocess.Popen[str]] = []

    def start(*args: str, **env: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [*HQ, "events", "tail", *args],
            env=house.env | env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("direct", ["", "1"])
def test_what_was_announced_is_told_from_any_position(shell, tail, direct):
    sequence = json.loads(shell("task", "create", "--title", "Before", "--json").out)["sequence"]
    shell("task", "create", "--title", "Call Ana")
    shell("task", "create", "--title", "Call Bo")

    told = tail("--topic", "task.created", "--after", sequence, "--count", "2", "--json", HQ_DIRECT=direct)
    out, _ = told.communicate(timeout=60)

    events = [json.loads(line) for line in out.splitlines()]
    assert told.returncode == 0
    assert [event["payload"]["title"] for event in events] == ["Call Ana", "Call Bo"]
    assert events[0]["prev"] == sequence
    assert events[1]["prev"] == events[0]["id"]


def test_it_ends_with_130_when_it_is_interrupted(shell, tail):
    told = tail("--topic", "task.created", "--after", "0")
    assert told.stdout is not None
    shell("task", "create", "--title", "Call Cy")
    assert "task.created" in told.stdout.readline()

    told.send_signal(signal.SIGINT)

    assert told.wait(60) == 130
    assert told.stderr is not None and told.stderr.read() == ""


def test_a_bad_position_is_refused_in_words(shell):
    said = shell("events", "tail", "--after", "yesterday")

    assert said.code == 1
    assert "is no position" in said.err


def test_what_was_announced_is_listed_newest_first(shell):
    shell("task", "create", "--title", "Listed")

    listed = json.loads(shell("events", "list", "--topic", "task.*", "--limit", "1", "--json").out)

    assert listed["data"]["items"][0]["topic"].startswith("task.")
    assert shell("events", "list", "--topic", "nothing.*").code == 0
