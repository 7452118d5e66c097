"""Similarity of memories: whether two say the same, or cannot both be true. No model is asked: what is not plain is
left alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hq.calendar_words import MONTHS, WEEKDAYS
from hq.graph.search.language import STOP_WORDS

SAME = 0.93
"""From this likeness on, by meaning, two say the same."""
_WORDS = re.compile(r"\w+")
_SENTENCE = re.compile(r"(?:^|[.!?]\s+)(\w+)")
_NOT = frozenset((
    "not", "never", "no", "don", "doesn", "isn", "aren", "won", "t", "longer", "anymore", "não", "nunca", "jamais",
))  # fmt: skip
_TELLING = _NOT | frozenset((
    "always", "only", "without", "nobody", "nothing", "none", "before", "after", "first", "second", "third", "last", "next",
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    *WEEKDAYS, *MONTHS,
    "sempre", "só", "sem", "ninguém", "nada", "nenhum", "nenhuma", "antes", "depois",
))  # fmt: skip
"""Words that change what is said however much the rest is alike."""
_OPENERS = STOP_WORDS | {"our", "its", "they", "these", "those"}
"""Words with a capital only because they begin a sentence."""
_SLOT = re.compile(
    r"^(?P<subject>.{2,120}?)\s+(?P<link>is|are|was|were|will be|prefers?|uses?|chose|chooses?|costs?|lives? in|works? (?:at|for)|"
    r"starts?(?: on| in)?|launch(?:es)?(?: on| in)?|reports? to|belongs? to|is called|means)\s+(?P<value>.+)$",
    re.I,
)


def words(text: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(text)]


def same_words(one: str, other: str) -> bool:
    return words(one) == words(other)


def says_the_same(one: str, other: str) -> bool:
    """Of two that are near in meaning: the same numbers, days and names, and yes or no to them. Where one of these
    differs they say two things."""
    return same_words(one, other) or (_particulars(one) == _particulars(other) and not clash(one, other))


def _particulars(text: str) -> frozenset[str]:
    opening = {match.start(1) for match in _SENTENCE.finditer(text)}
    found = set[str]()
    for match in _WORDS.finditer(text):
        word, small = match[0], match[0].lower()
        named = word[0].isupper() and not (match.start() in opening and small in _OPENERS)
        if named or small in _TELLING or any(sign.isdigit() for sign in word):
            found.add(small)
    return frozenset(found)


def clash(one: str, other: str) -> bool:
    """The same thing is said to be different, or once to be so and once not."""
    mine, yours = words(one), words(other)
    if mine == yours:
        return False
    if [word for word in mine if word not in _NOT] == [word for word in yours if word not in _NOT]:
        return True
    a, b = _SLOT.match(one.strip().rstrip(".!")), _SLOT.match(other.strip().rstrip(".!"))
    if a is None or b is None or words(a["subject"]) != words(b["subject"]) or a["link"].lower() != b["link"].lower():
        return False
    said, heard = set(words(a["value"])), set(words(b["value"]))
    return not (said <= heard or heard <= said)


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    length = (sum(x * x for x in one) * sum(y * y for y in other)) ** 0.5
    return sum(x * y for x, y in zip(one, other, strict=True)) / length if length else 0.0
