"""Features of a message, for the router: its words, pieces of them (so that a slip of the finger changes little), and
cues."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

import yaml

CUES = Path(__file__).with_name("cues.yaml")
READ = 600
"""Characters of a message that are looked at: what somebody wants is said early."""
STEM = 4
"""A cue of this length stands for all words that begin with it."""
PIECES = (3, 4)
OF_THE_COMPANY = ("ours", "company", "outside")
"""A question in which none of these occurs is about the world at large."""
POINTING = frozenset(["it", "that", "this", "them", "those", "these", "there", "isso", "isto"])
LITTLE = frozenset(
    [
        "a",
        "an",
        "the",
        "you",
        "your",
        "i",
        "me",
        "we",
        "us",
        "to",
        "for",
        "into",
        "at",
        "on",
        "in",
        "up",
        "of",
        "about",
        "with",
        "again",
        "just",
        "now",
        "and",
        "so",
        "o",
        "e",
        "um",
    ]
)
"""Words that name nothing by themselves."""
_WORD = re.compile(r"[a-z0-9']+|\?")
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|«[^»]*»")


def words_of(text: str) -> list[str]:
    """What is quoted is what something is to be done with; it does not say what."""
    said = _QUOTED.sub(" ", text[:READ])
    plain = unicodedata.normalize("NFKD", (said if said.strip() else text[:READ]).lower().replace("’", "'"))
    return _WORD.findall("".join(char for char in plain if not unicodedata.combining(char)))


def features(words: Sequence[str]) -> Counter[str]:
    """Words, pairs of them, and their pieces."""
    found: Counter[str] = Counter(words)
    found.update(f"{one} {other}" for one, other in pairwise(words))
    for word in words:
        edged = f"^{word}$"
        for size in PIECES:
            for start in range(len(edged) - size + 1):
                found[edged[start : start + size]] += 0.5  # type: ignore[assignment]
    return found


def hints(words: Sequence[str]) -> list[float]:
    """For each group of cues whether one occurs, and whether it opens; and how the message is built."""
    opening = words[:1]
    told: list[float] = []
    for group in cues().values():
        told += [float(_among(words, group)), float(_among(opening, group))]
    known = cues()
    asks = "?" in words or _among(opening, known["what"] | known["aux"])
    of_the_world = asks and not any(_among(words, known[group]) for group in OF_THE_COMPANY)
    return [*told, float("?" in words), float(len(words) <= 3), float(len(words) >= 9), float(of_the_world)]


def says_too_little(words: Sequence[str], known: frozenset[str]) -> bool:
    """Whether nothing can be told from a message: no word of it is known, or it wants something done, or points at something,
    and does not say what."""
    spoken = [word for word in words if word != "?"]
    if not any(word in known or _among([word], cue) for word in spoken for cue in cues().values()):
        return True
    named = [word for word in spoken if word not in POINTING | LITTLE and not _of_no_thing(word)]
    wants = _among(spoken, cues()["probe"]) or not POINTING.isdisjoint(spoken)
    return wants and not named


def _of_no_thing(word: str) -> bool:
    return any(_among([word], cues()[group]) for group in ("probe", "aux", "what", "polite"))


@cache
def cues() -> Mapping[str, frozenset[str]]:
    return {name: frozenset(map(str, group)) for name, group in yaml.safe_load(CUES.read_text("utf-8")).items()}


def _among(words: Sequence[str], group: frozenset[str]) -> bool:
    return any(word[:end] in group for word in words for end in {*range(STEM, len(word)), len(word)})
