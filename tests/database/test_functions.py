"""Files of functions: who may call one is said in the file that makes it; and every state of a mission has its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from hq import app
from hq.missions.life import LIFE
from hq.missions.types import Mission

SOURCE = Path(__file__).parents[2] / "src" / "hq"
FILES = {file: (SOURCE / file).read_text() for file in app.functions()}
MADE = re.compile(r"^create (?:or replace )?(?:function|view) ((?:ops|graph)\.\w+)", re.MULTILINE)
RIGHTS = re.compile(r"^(grant|revoke) .*? on (?:function |table )?(.*?) (?:to|from) ", re.MULTILINE | re.DOTALL)


def _rights() -> Iterator[tuple[str, str, str]]:
    """Which file says who may call what."""
    for file, text in FILES.items():
        for word, names in RIGHTS.findall(text):
            yield from ((file, word, name) for name in re.findall(r"(?:ops|graph)\.\w+", names))


def test_who_may_call_a_function_is_said_once_and_in_the_file_that_makes_it():
    made = {name: file for file, text in FILES.items() for name in MADE.findall(text)}
    said = [(word, name) for _, word, name in _rights()]

    assert {(file, name) for file, _, name in _rights() if made.get(name, file) != file} == set()
    assert {each for each in said if said.count(each) > 1 and each[0] == "revoke"} == set()


def test_every_state_of_a_mission_has_its_place_in_its_life():
    assert set(LIFE) == set(Mission.states())
