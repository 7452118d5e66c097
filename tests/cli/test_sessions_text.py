"""Sessions and workers as text: lists, one session, its steps, and following one."""

from __future__ import annotations

import pytest

from hq.sessions.session_text import parted, replayed, session_detail
from hq.terminal.screen import Screen
from tests.support.servers import House


@pytest.fixture
def house(working_house: House) -> House:
    """Workers have to work."""
    return working_house


def test_a_worker_is_spawned_listed_and_read(cli):
    spawned = cli("worker", "spawn", "Check disk usage on cube")
    assert spawned.code == 0 and spawned.out.startswith("spawned 20")
    worker = spawned.out.split()[1]

    assert worker in cli("worker", "list").out
    session = cli("session", "list", "--json").json["data"]["items"][0]["session"]
    cli("session", "tail", session)  # until it is over

    joined = cli("worker", "wait", worker)
    assert joined.code == 0 and joined.lines[0] == f"{worker}  failed", "no call of it worked"
    said = ["said last", "  I could not look at cube: no machine 'cube' is known; the founder has allowed none yet"]
    assert cli("session", "show", session).lines[-2:] == said
    assert cli("worker", "read", worker, "--path", "metadata.json").out.startswith("{")


@pytest.mark.parametrize("direct", ["", "1"])
def test_following_a_session_ends_with_it(shell, direct):
    session = shell("worker", "spawn", "Check disk", "--json").json["data"]["session"]

    told = shell("session", "tail", session, HQ_DIRECT=direct)

    assert told.code == 0 and "  open  " in told.lines[0] and " close " in told.lines[-1]
    assert "it is over: done" in told.err
    assert shell("session", "tail", "0199aaaa-0000-7000-8000-000000000000", HQ_DIRECT=direct).code == 3


def test_a_session_reads_from_top_to_bottom():
    data = {
        "session": "s1", "agent": "scout", "state": "done", "trigger": {"text": "go"}, "turns": 2, "steps": 5,
        "result": {"text": "All fine.\nReally."},
    }  # fmt: skip
    lines = list(session_detail(data, Screen()))

    assert lines[:3] == ["scout  done  s1", "go", ""]
    assert lines[-3:] == ["said last", "  All fine.", "  Really."]


def test_steps_are_a_line_each_and_cannot_command_the_terminal():
    item = {"step": 2, "kind": "mind", "at": "2026-01-01T00:00:00+00:00", "says": "hi\x1b[2J\nyou", "payload": {}}

    (line,) = replayed({"items": [item]}, Screen())

    assert line == "   2  2026-01-01T00:00:00+00:00  mind  hi�[2J you"


def test_where_two_sessions_part_is_shown_as_a_difference():
    lines = list(parted({"same": 3, "a": ["4 one"], "b": ["4 two"]}, Screen()))

    assert lines == ["the first 3 steps are the same", "- 4 one", "+ 4 two"]
