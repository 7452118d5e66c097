"""Words that are nearly the same. Two that become equal by leaving out a letter or two are alike, and that is a look-up."""

from __future__ import annotations

from itertools import combinations

from hq.graph.search.language import folded

PREFIX = 8
"""Letters of a word that are varied: mistakes behind them are found by the distance of the whole."""
SHORT = 4
"""Shorter words have too many neighbours to guess."""
LONG = 7
"""From here on two mistakes are forgiven."""


def spellings(word: str) -> set[str]:
    """Every key that a word can be found under."""
    head = folded(word)[:PREFIX]
    found = {head}
    for left_out in range(1, _mistakes(word) + 1):
        for gone in combinations(range(len(head)), left_out):
            found.add("".join(letter for place, letter in enumerate(head) if place not in gone))
    return found


def alike(one: str, other: str) -> float:
    """From 0 to 1: how alike two words are, 0 where it is more than a slip."""
    one, other = folded(one), folded(other)
    slips = _distance(one, other)
    # Few begin a name with the wrong letter and make another mistake as well.
    allowed = min(_mistakes(one), _mistakes(other), 2 if one[:1] == other[:1] else 1)
    return 1 - slips / (max(len(one), len(other)) or 1) if slips <= allowed else 0.0


def _mistakes(word: str) -> int:
    return 0 if len(word) < SHORT else 1 if len(word) < LONG else 2


def _distance(one: str, other: str) -> int:
    """Letters missing, added, changed, or two next to each other swapped."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        earlier, before, row = before, row, [i]
        for j, b in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and b == one[i - 2]:
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
    return row[-1]
