"""What people see: tables, cards and sentences; plain in a pipe, fitted and coloured on a terminal."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime

import pytest

from hq.cli.sentence import past
from hq.terminal.screen import Screen
from hq.terminal.table import table
from hq.terminal.values import harmless, one_line
from hq.terminal.width import clipped, width

from .conftest import Shell

PIPE = Screen()
NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
LATER = datetime(2026, 12, 24, tzinfo=UTC)
TERMINAL = Screen(tty=True, width=40, now=NOW)


def test_a_table_in_a_pipe_is_aligned_plain_and_whole() -> None:
    rows = [
        {"slug": "a", "id": "1", "title": "x" * 90, "due": None},
        {"slug": "long-slug", "id": "2", "title": None, "due": None},
    ]

    assert list(table(rows, PIPE)) == ["slug       title", f"a          {'x' * 90}", "long-slug  -"]


def test_a_table_on_a_terminal_fits_but_never_cuts_a_slug() -> None:
    rows = [{"slug": "a-slug-of-twenty-char", "title": "word " * 30}]

    shown = list(table(rows, TERMINAL))

    assert all(width(line) <= 40 for line in shown)
    assert "a-slug-of-twenty-char" in shown[1]
    assert shown[1].endswith("…")


JOB_RUN = {
    "at": "2026-11-16T09:05:20+00:00", "job": "beat:operator-of-lumen", "cause": "by the clock", "status": "done",
    "did": "looked at nine missions", "error": None, "about": "something with a long name", "took_ms": 1204, "tokens": 0,
    "cost_usd": 0.0, "session": "0193-" + "a" * 31,
}  # fmt: skip
JOB = {
    "job": "load-agent-files", "says": "loads what is in the files of the agents", "on": "every minute, agent.*",
    "state": "on", "next": "2026-11-16T09:06:20+00:00", "last": "2026-11-16T09:05:20+00:00", "did": "loaded two agents",
}  # fmt: skip


@pytest.mark.parametrize(("row", "times"), [(JOB_RUN, 1), (JOB, 2)])
def test_at_eighty_columns_names_and_times_stay_whole_and_the_rest_gives_way(
    row: dict[str, object], times: int
) -> None:
    shown = list(table([row], Screen(tty=True, width=80, now=LATER)))

    assert all(width(line) <= 80 for line in shown), shown
    assert str(row["job"]) in shown[1]
    assert len(re.findall(r"2026-11-16 \d\d:\d\d", shown[1])) == times


def test_a_table_in_a_pipe_is_bound_where_somebody_wrote_a_page() -> None:
    card = {"id": "1", "title": "A card", "text": "word " * 400, "buttons": [{"key": "a", "label": "Accept" * 90}]}

    shown = list(table([card], PIPE))

    assert all(width(line) < 320 for line in shown) and shown[1].endswith("…")


def test_a_cell_is_one_line_and_obeyed_by_nobody() -> None:
    assert one_line("two\nlines\tand\x1b[31m red", PIPE) == "two lines and�[31m red"
    assert harmless("abc\u202edef") == "abc�def"
    assert one_line(["a", "b"], PIPE) == "a, b"
    assert one_line(True, PIPE) == "yes"
    assert one_line({"a": 1}, PIPE) == '{"a": 1}'


MISSION = {
    "slug": "web-app-that-tracks-my-flight-training-hours-and-expenses", "id": "0193-" + "a" * 31,
    "title": "Web app that tracks my flight training hours and expenses", "status": "in_progress", "priority": "medium",
    "category": "coding/webapp", "updated_at": "2026-11-15T11:58:20.938483+00:00",
}  # fmt: skip
ACTION = {
    "action": "evt_01a1ecd2fd3a7637a4e2c7280523fde8", "verb": "mission.create", "actor": "agent:chief", "status": "ok",
    "at": "2026-11-15T11:58:20.938483+00:00", "reason": "Asked for in conversation, and at some length.",
}  # fmt: skip


def test_at_eighty_columns_a_mission_keeps_its_title_its_status_and_when() -> None:
    head, row = table([MISSION], Screen(tty=True, width=80, now=NOW))

    assert max(width(head), width(row)) <= 80
    assert head.split() == [
        "slug",
        "title",
        "status",
        "priority",
        "updated",
    ]  # how the house sorts it is left out first
    assert "web-app-that-tra" in row and "Web app that tracks my" in row
    assert "in_progress" in row and row.endswith("2 min ago")


def test_at_eighty_columns_a_call_keeps_its_id_whole_and_what_it_was() -> None:
    head, row = table([ACTION], Screen(tty=True, width=80, now=NOW))

    assert head.split() == ["action", "verb", "actor", "status", "at"] and width(row) <= 80
    assert ACTION["action"] in row and "mission." in row


@pytest.mark.parametrize(
    ("moment", "told"),
    [
        ("2026-11-15T12:00:10+00:00", "just now"),
        ("2026-11-15T11:58:00+00:00", "2 min ago"),
        ("2026-11-15T12:05:00+00:00", "in 5 min"),
        ("2026-11-15T09:05:20.938483+00:00", "today 09:05"),
        ("2026-11-14T21:30:00+00:00", "yesterday 21:30"),
        ("2026-11-16T07:00:00+00:00", "tomorrow 07:00"),
        ("2026-11-01T07:00:00+00:00", "2026-11-01 07:00"),
    ],
)
def test_times_are_exact_in_a_pipe_and_for_people_on_a_terminal(
    moment: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    assert one_line(moment, PIPE) == moment
    assert one_line(moment, TERMINAL) == told


def test_wide_characters_take_two_cells() -> None:
    assert width("日本") == 4
    assert clipped("日本語日本語", 5) == "日本…"


@pytest.mark.parametrize(
    ("action", "done"),
    [
        ("create", "created"),
        ("log", "logged"),
        ("defer", "deferred"),
        ("verify", "verified"),
        ("set", "set"),
        ("stop", "stopped"),
        ("read", "read"),
        ("run", "ran"),
    ],
)
def test_what_was_done_is_in_the_past(action: str, done: str) -> None:
    assert past(action) == done


def test_a_list_in_a_pipe_has_no_colour_no_tab_and_no_ids(shell: Shell) -> None:
    shell("task", "create", "--title", "Call Ana Pereira")

    said = shell("task", "list")

    assert said.lines[0].split() == ["slug", "title", "status", "priority", "updated"]
    assert "\x1b" not in said.out
    assert "\t" not in said.out


def test_a_list_on_a_terminal_has_a_bold_header_and_local_times(on_a_terminal: Shell) -> None:
    on_a_terminal("task", "create", "--title", "Call Ana on a terminal")

    said = on_a_terminal("task", "list")

    assert said.out.startswith("\x1b[1mslug")
    assert "T" not in said.out.splitlines()[1].split("todo")[1]


def test_no_color_is_respected(on_a_terminal: Shell) -> None:
    assert "\x1b" not in on_a_terminal("task", "list", NO_COLOR="1").out


def test_json_is_indented_for_a_person_and_one_line_for_a_program(on_a_terminal: Shell, shell: Shell) -> None:
    assert '\n  "ok": true' in on_a_terminal("whoami", "--json").out
    assert len(shell("whoami", "--json").lines) == 1


def test_a_card_has_a_title_properties_blocks_and_links(cli: Shell) -> None:
    cli("task", "create", "--title", "Call Ana", "--description", "First\nSecond", "--priority", "now")

    said = cli("task", "show", "call-ana").out

    assert said.startswith("Call Ana  (task call-ana)\n")
    assert "\npriority:   now\n" in said
    assert "\ndescription\n  First\n  Second\n" in said
    assert "\n  driven by →\n    bo  Bo (contact, since " in said


def test_history_tells_who_what_and_why(cli: Shell) -> None:
    cli("task", "create", "--title", "Call Ana")
    cli("task", "update", "call-ana", "--status", "in_progress", "--reason", "started")

    for command in (["history", "call-ana"], ["task", "history", "call-ana"]):
        said = cli(*command).out
        assert "  update by user:bo: “started”\n  status: in_progress\n" in said
        assert "insert by user:bo" in said


def test_why_names_the_call_behind_each_property(cli: Shell) -> None:
    cli("task", "create", "--title", "Call Ana")
    cli("task", "update", "call-ana", "--status", "in_progress", "--reason", "started")

    assert "status: task.update by user:bo: “started”" in cli("why", "call-ana").out


def test_undo_shows_what_it_would_put_back(cli: Shell) -> None:
    made = cli("task", "create", "--title", "Call Ana", "--json").json["audit_event_id"]

    assert f"{made} can be taken back\n  node call-ana goes away" in cli("undo", made, "--preview").out
    assert cli("undo", made).out.startswith(f"took back {made}")


def test_schemas_are_json(cli: Shell) -> None:
    assert cli("schema", "show", "task").json["title"] == "task"
    assert "node/task" in cli("schema", "export").json


def test_an_empty_list_says_so_beside_the_output(cli: Shell) -> None:
    said = cli("memo", "list")

    assert (said.code, said.out, said.err) == (0, "", "nothing found\n")


def test_a_page_says_how_to_get_the_next(cli: Shell) -> None:
    for title in ("One", "Two", "Three"):
        cli("memo", "create", "--title", title, "--content-md", "…")

    said = cli("memo", "list", "--limit", "2")

    assert len(said.lines) == 3
    assert said.err.startswith("more: --after ")
    assert cli("memo", "list", "--after", said.err.split()[-1], "-q").lines == ["one"]


def test_an_approval_tells_what_became_of_the_call(cli: Shell) -> None:
    for name in ("Acme", "Acme Inc"):
        cli("entity", "create", "--name", name)
    agent = cli("auth", "token", "--agent", "chief").out.strip()
    slug = cli("entity", "merge", "acme-inc", "--into", "acme", "-q", HQ_TOKEN=agent).out.strip()

    assert cli("approval", "approve", slug).out == f"approved approval {slug}\n  then: merge acme\n"


def test_an_approval_leads_with_what_is_asked_by_whom_why_and_until_when(cli: Shell) -> None:
    cli("entity", "create", "--name", "Beta")
    cli("entity", "create", "--name", "Beta Inc")
    token = cli("auth", "token", "--agent", "merger").out.strip()
    slug = cli(
        "entity", "merge", "beta-inc", "--into", "beta", "--reason", "Same e-mail", "--quiet", HQ_TOKEN=token
    ).out.strip()

    shown = cli("approval", "show", slug)

    assert shown.lines[0] == "agent:merger asks to entity.merge"
    assert "says:   “Same e-mail" in shown.lines[1] and "needs:  a yes" in shown.lines[2] and "until:" in shown.lines[3]
    assert "    loser: beta-inc" in shown.lines and "  on entity beta-inc: Beta Inc" in shown.lines
    assert "hash" not in shown.out and "sequence" not in shown.out
    assert "arguments_hash" in cli("approval", "show", slug, "--json").json["data"]["props"]
