"""Choices that a script offers: words one can say next, in a numbered list. A number or a place said after it is one of these."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_CHOICE = re.compile(r"^(\d)\. “([^”\n]{1,200})”$", re.MULTILINE)
"""Words alone on their line: where something follows them, such as what waits and how it is answered, they are none to be said."""
_PLACES = (
    ("1", "one", "first", "a", "um", "primeiro", "primeira"),
    ("2", "two", "second", "b", "dois", "segundo", "segunda"),
    ("3", "three", "third", "c", "três", "tres", "terceiro", "terceira"),
)
_FILLER = frozenset(
    ["the", "number", "option", "please", "take", "one", "then", "o", "a", "número", "numero", "opção", "por", "favor"]
)
MANY = 3


def choices(text: str) -> list[str]:
    """The words that a text offers to be said next, in their order."""
    return [words for _, words in _CHOICE.findall(text)]


def chosen(said: str, answered: str) -> str | None:
    """The words that a number or a place stands for, where just these were offered."""
    offered = choices(answered)
    words = re.findall(r"\w+", said.lower())
    if not offered or len(words) > 4:
        return None
    left = [word for word in words if word not in _FILLER] or words[-1:]
    place = next((n for n, names in enumerate(_PLACES) if left and left[0] in names), None) if len(left) == 1 else None
    return offered[place] if place is not None and place < len(offered) else None


def offered(ways: Iterable[str | None], answered: str) -> Sequence[str]:
    """Three of the ways that are there, others than were offered a moment ago as far as there are others."""
    there = list(dict.fromkeys(way.replace("”", "").replace("“", "") for way in ways if way))
    before = choices(answered)
    return sorted(there, key=lambda way: way in before)[:MANY]
