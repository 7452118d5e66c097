"""0 ok, 1 the caller, 2 the system, 3 not there, 4 waiting; and what is said about it."""

from __future__ import annotations

import subprocess

import pytest

from hq.cli import root

from .conftest import HQ, House, Shell


def test_0_when_it_worked(cli: Shell) -> None:
    said = cli("task", "create", "--title", "Call Ana")

    assert (said.code, said.out, said.err) == (0, "created task call-ana\n", "")


def test_1_when_the_caller_must_change_something(cli: Shell) -> None:
    said = cli("task", "create", "--title", "Call Ana", "--confidence", "7")

    assert said.code == 1
    assert "confidence must be at most 1" in said.err.splitlines()[0]
    assert said.out == ""


def test_1_when_another_answer_came_first_and_0_when_it_was_the_same(cli: Shell) -> None:
    options = '[{"key": "a", "label": "The Weekly"}, {"key": "b", "label": "Field Notes"}]'
    ask = cli("review", "create", "--question-text", "Which name?", "--options", options, "-q").out.strip()
    assert cli("ask", "answer", ask, "a").code == 0

    again, other = cli("ask", "answer", ask, "a"), cli("ask", "answer", ask, "b")

    assert (again.code, other.code) == (0, 1)
    assert other.out == f"{ask} was answered already by user:bo: a; your answer did not count\n"


def test_2_when_nothing_answers(cli: Shell) -> None:
    said = cli("task", "list", "--url", "http://127.0.0.1:9")

    assert said.code == 2
    assert said.err.startswith("hq: no hq answers at http://127.0.0.1:9")


def test_2_and_one_line_for_a_bug_of_ours(cli: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(root, "Root", lambda: 1 / 0)

    said = cli("task", "list")

    assert said.code == 2
    assert said.err.splitlines()[0] == "hq: something went wrong: ZeroDivisionError: division by zero"
    assert "Traceback" not in said.err
    assert "Traceback" in cli("task", "list", HQ_DEBUG="1").err


def test_3_when_it_is_not_there(cli: Shell) -> None:
    said = cli("task", "show", "nope")

    assert said.code == 3
    assert said.err.splitlines() == ["hq: there is no task 'nope'", "hint: `hq task list` shows what there is"]


def test_4_when_it_waits_for_approval(cli: Shell) -> None:
    for name in ("Acme", "Acme Inc"):
        cli("entity", "create", "--name", name)
    agent = cli("auth", "token", "--agent", "chief").out.strip()

    said = cli("entity", "merge", "acme-inc", "--into", "acme", HQ_TOKEN=agent)

    assert said.code == 4
    assert "waiting for approval approve-entity-merge-" in said.err
    assert "hint: `hq approval show approve-entity-merge-" in said.err


def test_an_error_with_json_is_the_contract_on_stdout(cli: Shell) -> None:
    said = cli("task", "show", "nope", "--json")

    assert said.code == 3
    assert said.err == ""
    assert list(said.json) == ["ok", "action", "data", "audit_event_id", "trace_id", "error", "sequence"]
    assert said.json["error"]["code"] == "not_found"


@pytest.mark.parametrize(
    "args", [["task", "create", "--json"], ["taks", "list", "--json"], ["task", "list", "--x", "--json"]]
)
def test_a_mistyped_command_with_json_is_the_contract_too(cli: Shell, args: list[str]) -> None:
    said = cli(*args)

    assert said.code == 1
    assert said.json["ok"] is False
    assert said.json["error"]["code"] == "invalid"


def test_whoever_reads_may_stop_reading(house: House) -> None:
    writing = subprocess.Popen([*HQ, "schema", "export"], env=house.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert writing.stdout is not None
    assert writing.stderr is not None
    writing.stdout.read(10)
    writing.stdout.close()

    assert writing.stderr.read() == b""
    assert writing.wait(60) == 0


def test_an_interrupt_is_quiet(cli: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(root, "Root", interrupt)

    said = cli("task", "list")

    assert (said.code, said.out, said.err) == (130, "", "")


@pytest.mark.parametrize("command", ["up", "down", "status", "doctor", "logs"])
def test_the_commands_of_the_house_fail_in_the_contract_of_a_call(cli: Shell, command: str) -> None:
    said = cli(command, "--json", HQ_PORT="many")

    assert said.code == 1 and said.err == ""
    assert said.json["ok"] is False and said.json["action"] == command and said.json["data"] is None
    assert said.json["error"]["code"] == "invalid" and "HQ_PORT" in said.json["error"]["message"]


def test_a_command_of_the_house_that_worked_has_the_contract_too(cli: Shell, tmp_path) -> None:
    said = cli("down", "--json", HQ_HOME=str(tmp_path))

    assert said.code == 0 and said.json["ok"] and said.json["data"]["message"]
