"""The examples of the README, the quickstart and the how-to pages really run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest

from hq.database.address import Address
from hq.database.embedded import scratch_home
from tests.docs.console import examples, follow, shape, shell
from tests.support.passable import tmp_path
from tests.support.servers import UP, House, served

__all__ = ["tmp_path"]

ROOT = Path(__file__).parents[2]
README, QUICKSTART, BY_HAND = ROOT / "README.md", ROOT / "docs" / "quickstart.md", ROOT / "docs" / "by-hand.md"
HOW_TO = [page for page in sorted((ROOT / "docs" / "how-to").glob("*.md")) if examples(page)]
# The first calls of a database have known numbers, and only who installed hq makes companies.
OF_A_FRESH_HOUSE = ("several-companies",)
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
                assert follow(README, terminal) == 2
                terminal.type("hq up -d")
                assert follow(BY_HAND, terminal) > 20
        finally:
            subprocess.run([*HQ, "down"], env=env, check=False, capture_output=True)


def test_the_readme_names_no_call_by_a_number_that_depends_on_what_was_done_before() -> None:
    """Who talked to the CEO first, as it suggests, has other numbers than a company in which nothing happened."""
    typed = [example.command for example in (*examples(README), *examples(BY_HAND))]

    assert not [command for command in typed if re.search(r"(as-of|--at|--known-at) \d+( |$)", command)]


@pytest.mark.slow
def test_the_quickstart_works_without_a_server() -> None:
    with scratch_home() as home, shell(surroundings(home, HQ_DIRECT="1"), home) as terminal:
        assert follow(QUICKSTART, terminal) > 2


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in HOW_TO if page.stem not in OF_A_FRESH_HOUSE], ids=lambda p: p.stem)
def test_a_how_to_page_does_what_it_says(page: Path, still_house: House, tmp_path: Path) -> None:
    token = new_company(still_house, page.stem)
    with shell(still_house.env | {"HQ_TOKEN": token}, tmp_path) as terminal:
        assert follow(page, terminal)


@pytest.mark.slow
def test_a_how_to_page_of_a_fresh_house_does_what_it_says(
    server: Address, template: tuple[str, str], tmp_path: Path
) -> None:
    with served(server, template, *UP) as house, shell(house.env, tmp_path) as terminal:
        assert all(follow(page, terminal) for page in HOW_TO if page.stem in OF_A_FRESH_HOUSE)


def new_company(house: House, name: str) -> str:
    words = [*HQ, "tenant", "create", "--name", name, "--founder", "Founder"]
    return subprocess.run(words, env=house.env, capture_output=True, text=True, check=True, timeout=60).stdout.strip()


def test_the_picture_shows_lines_of_the_page_by_hand() -> None:
    drawn = re.findall(r"<text [^>]*>(.*)</text>", (ROOT / "docs" / "terminal.svg").read_text("utf-8"))
    lines = [shape(unescape(re.sub(r"<[^>]*>", "", text))) for text in drawn]
    typed = {shape(f"$ {example.command}") for example in examples(BY_HAND)}
    said = {shape(line) for example in examples(BY_HAND) for line in example.output.splitlines()}

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
