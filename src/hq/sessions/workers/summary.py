"""A worker's result in 150 characters: its own words where it gave some, else its first sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass

LONGEST = 150
VERSION = 1
"""Of the words in which a worker is asked for its summary."""
FEWEST_WORDS = 3
SENTENCE = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True)
class Summary:
    text: str
    error: str | None = None
    """Why it is not the worker's own, if it is not."""


def summarise(result: str, own: str) -> Summary:
    """`own` is what the worker said when it was done; a bare "done" says nothing of what came of it."""
    if len(own.split()) >= FEWEST_WORDS:
        return Summary(cut(own))
    if not result:
        return Summary("", "there is no result")
    short = len(result) <= LONGEST and "\n" not in result
    return Summary(cut(result) if short else cut(_first_sentence(result)), None if short else "no summary given")


def cut(text: str) -> str:
    """At most 150 characters on one line, cut at a word."""
    text = " ".join(text.split())
    if len(text) <= LONGEST:
        return text
    kept = text[: LONGEST - 1]
    return (kept.rsplit(" ", 1)[0] if " " in kept else kept).rstrip(",;:-") + "…"


def _first_sentence(text: str) -> str:
    line = next((line for line in text.splitlines() if line.strip(" #*-=")), text)
    return SENTENCE.split(line.strip(" #*"), 1)[0]
