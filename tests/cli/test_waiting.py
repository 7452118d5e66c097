"""Commands that promise to wait do; what waits goes on without them."""

from __future__ import annotations

import signal
import subprocess

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
