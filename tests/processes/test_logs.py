"""What is logged, what is kept out of it, and how `hq logs` shows it."""

from __future__ import annotations

import json
import logging
import signal
import subprocess
from pathlib import Path

import pytest
import structlog

from hq.cli.logs import added, last, readable
from hq.logs import redact, set_up_logs
from hq.settings import Settings
from hq.terminal.screen import Screen
from tests.processes.houses import heard

TOKEN = "hq_founder_Xk3-abcdefgh_ijklmnop"


@pytest.fixture
def log(tmp_path: Path):
    settings = Settings.load({"HQ_HOME": str(tmp_path)})
    settings.log_file.parent.mkdir()
    kept = logging.root.handlers[:], logging.root.level
    set_up_logs(settings, terminal=False)
    yield settings.log_file
    structlog.reset_defaults()
    logging.root.handlers[:], logging.root.level = kept


def lines(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (f"token {TOKEN}!", "token hq_founder_…!"),
        ("Authorization: Bearer abc.def", "Authorization: Bearer …"),
        ("postgresql://hq:s3cret@host/db", "postgresql://hq:…@host/db"),
        ("user=hq password=s3cret host=x", "user=hq password=… host=x"),
        ({"token": TOKEN, "n": 1}, {"token": "…", "n": 1}),
        ([{"url": f"/login?code={TOKEN}"}], [{"url": "/login?code=hq_founder_…"}]),
        ("hq_schema is not secret", "hq_schema is not secret"),
    ],
)
def test_secrets_are_taken_out(said, kept):
    assert redact(said) == kept


def test_lines_of_libraries_and_our_own_look_alike(log):
    structlog.get_logger("hq.test").info("said", who=TOKEN)
    logging.getLogger("uvicorn.error").warning("also %s", TOKEN)

    ours, theirs = lines(log)
    assert (ours["event"], ours["who"], ours["logger"], ours["level"]) == ("said", "hq_founder_…", "hq.test", "info")
    assert (theirs["event"], theirs["logger"], theirs["level"]) == ("also hq_founder_…", "uvicorn.error", "warning")


def test_a_traceback_is_kept_without_its_secrets(log):
    try:
        raise ValueError(f"bad {TOKEN}")
    except ValueError:
        structlog.get_logger("hq.test").exception("broke")

    (line,) = lines(log)
    assert "ValueError: bad hq_founder_…" in line["exception"]


def test_the_trace_of_a_request_is_on_its_lines(log):
    with structlog.contextvars.bound_contextvars(trace_id="trc_1"):
        structlog.get_logger("hq.test").info("inside")

    assert lines(log)[0]["trace_id"] == "trc_1"


def test_only_the_last_lines_are_read(tmp_path: Path):
    file = tmp_path / "log"
    file.write_text("".join(f"line {n} {'x' * 200}\n" for n in range(2000)))

    assert [line.split()[1] for line in last(file, 3).lines] == ["1997", "1998", "1999"]
    assert last(file, 0).lines == []
    assert len(last(file, 5000).lines) == 2000


def test_nothing_is_missed_between_looking_back_and_following(tmp_path: Path):
    file = tmp_path / "log"
    file.write_text("before\n")
    tail = last(file, 1)
    with file.open("a") as log:
        log.write("between\nhalf")

    following = added(file, tail.end)
    assert next(following) == "between"
    with file.open("a") as log:
        log.write(" and whole\n")

    assert next(following) == "half and whole"


def test_a_line_is_made_readable():
    line = json.dumps(
        {"at": "2026-11-15T09:00:00.1Z", "level": "warning", "event": "slow", "logger": "hq", "verb": "task.list"}
    )

    assert readable(line, Screen()) == "2026-11-15T09:00:00 warning slow verb=task.list"
    assert readable("not json", Screen()) == "not json"


def test_logs_shows_and_follows(house):
    shown = house.run("logs", "-n", "1")
    raw = house.run("logs", "-n", "1", "--json")
    assert shown.returncode == 0 and shown.stdout.rstrip().endswith("stopped")
    assert json.loads(raw.stdout)["event"] == "stopped"

    follower = house.spawn("logs", "-n", "1", "-f")
    try:
        assert heard(follower)
        file = house.settings.log_file
        with file.open("a") as log:
            log.write('{"event": "added"}\n')
        assert "added" in heard(follower)
        file.rename(file.with_suffix(".log.1"))
        file.write_text('{"event": "turned over"}\n')
        assert "turned over" in heard(follower)
    finally:
        follower.send_signal(signal.SIGINT)
        follower.communicate()


def test_without_a_log_it_says_so(empty):
    result = empty.run("logs")

    assert isinstance(result, subprocess.CompletedProcess)
    assert result.returncode == 3
    assert result.stderr.startswith("hq: there is no log")
