"""The examples of the README, the quickstart and the how-to pages really run."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from console import Shell, examples, follow, shape, shell

from hq.database.address import Address
from hq.database.embedded import scratch_home
from passable import tmp_path

__all__ = ["tmp_path"]

ROOT = Path(__file__).parents[2]
README, QUICKSTART = ROOT / "README.md", ROOT / "docs" / "quickstart.md"
HOW_TO = [page for page in sorted((ROOT / "docs" / "how-to").glob("*.md")) if examples(page)]
HQ = [sys.executable, "-m", "hq"]


def surroundings(home: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HQ_")}
    return kept | {"HQ_HOME": str(home), "HQ_PORT": "0", **more}


@pytest.mark.slow
def test_the_first_five_minutes_really_work() -> None:
    with scratch_home() as home:
        env = surroundings(home)
        try:
            with shell(env, home) as terminal:
                assert follow(README, terminal) > 20
        finally:
            subprocess.run([*HQ, "down"], env=env, check=False, capture_output=True)


def test_the_readme_names_no_call_by_a_number_that_depends_on_what_was_done_before() -> None:
    """Who talked to the CEO first, as it suggests, has other numbers than a company in which nothing happened."""
    typed = [example.command for example in examples(README)]

    assert not [command for command in typed if re.search(r"(as-of|--at|--known-at) \d+( |$)", command)]


@pytest.mark.slow
def test_the_quickstart_works_without_a_server() -> None:
    with scratch_home() as home, shell(surroundings(home, HQ_DIRECT="1"), home) as terminal:
        assert follow(QUICKSTART, terminal) > 2


@pytest.fixture
def terminal(database: Address, template: tuple[str, str], tmp_path: Path) -> Iterator[Shell]:
    """A shell beside a running server, on a database of its own."""
    (tmp_path / "token").write_text(template[1])
    (tmp_path / "token").chmod(0o600)
    env = surroundings(tmp_path, HQ_DATABASE_URL=database.url)
    serving = subprocess.Popen([*HQ, "up"], env=env, stdout=subprocess.PIPE, text=True)
    try:
        assert serving.stdout is not None
        assert "ready" in serving.stdout.readline()
        assert json.loads((tmp_path / "run" / "server.json").read_text())["pid"] == serving.pid
        with shell(env, tmp_path) as opened:
            yield opened
    finally:
        serving.send_signal(signal.SIGTERM)
        serving.wait(30)


@pytest.mark.slow
@pytest.mark.parametrize("page", HOW_TO, ids=lambda page: page.stem)
def test_a_how_to_page_does_what_it_says(page: Path, terminal: Shell) -> None:
    assert follow(page, terminal)


def test_the_picture_shows_lines_of_the_readme() -> None:
    drawn = re.findall(r"<text [^>]*>(.*)</text>", (ROOT / "docs" / "terminal.svg").read_text("utf-8"))
    lines = [shape(unescape(re.sub(r"<[^>]*>", "", text))) for text in drawn]
    typed = {shape(f"$ {example.command}") for example in examples(README)}
    said = {shape(line) for example in examples(README) for line in example.output.splitlines()}

    assert len(lines) > 10
    assert [line for line in lines if line not in typed | said] == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("took back evt_" + "0" * 32, "took back evt_" + "a" * 32),
        ("the ledger is intact: 12 links", "the ledger is intact: 9 links, 1 not linked yet"),
        ("slug  updated\na     2026-01-01 09:00\n", "slug  updated\r\na     2030-12-24 23:59".replace("\r", "")),
    ],
)
def test_what_differs_from_run_to_run_is_compared_by_its_shape(one: str, other: str) -> None:
    assert shape(one) == shape(other)


def test_everything_else_is_compared_exactly() -> None:
    assert shape("created task call-ana") != shape("created task call-bo")
    assert re.search(r"<event>", shape("evt_" + "0" * 32))
