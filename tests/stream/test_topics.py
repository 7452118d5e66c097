"""Patterns of topics: what they match, and that none of them takes for ever."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest

from hq.stream.topics import Topics

KNOWN = ["task.created", "task.updated", "subtask.created", "org.a.b", "a", "aa", "aba", "memo.created_again"]
PATTERNS = [
    "*",
    "task.*",
    "*.created",
    "*a*",
    "a*a",
    "*a*b*",
    "t*k.*d",
    "task.created",
    "**",
    "a**a",
    "*.*.*",
    "*ab",
    "x*",
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_star_stands_for_anything(pattern):
    assert [topic for topic in KNOWN if Topics([pattern]).match(topic)] == [
        topic for topic in KNOWN if fnmatchcase(topic, pattern)
    ]


def test_one_of_several_patterns_is_enough():
    assert Topics(["memo.*", "*.created"]).match("task.created") and not Topics(["memo.*", "*.x"]).match("task.created")


@pytest.mark.parametrize("pattern", ["*" * 60 + "zz", "*a" * 90 + "z", "*e*" * 60])
async def test_no_pattern_takes_for_ever_here_or_in_the_database(hq, pattern):
    assert not Topics([pattern]).match("organisation.assignment_created_again")
    assert (await hq.do("events.list", topics=[pattern]))["items"] == []
