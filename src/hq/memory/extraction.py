"""Extraction of what is worth remembering from a conversation: asked of a mind once it has gone quiet, or, where only
the script answers, told by how people say such things. What is found goes through `memory.add`, which merges what is
known and asks about what contradicts it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from hq.json_types import CallArgs
from hq.minds.mind_json import object_in

Category = Literal["decision", "preference", "fact", "lesson_learned", "context"]
PROMPT = """Below is the latest part of a conversation. What in it will still matter in a month, to anybody in the company: decisions, preferences,
facts about people and customers, lessons? Only what was really said, each in one sentence that is clear by itself. Not: small talk, questions, what
was merely proposed, passwords or keys. Answer with one JSON object and nothing else:
{"memories": [{"content": "…", "category": "decision|preference|fact|lesson_learned|context", "confidence": 0.0 to 1.0}]}
An empty list means that there was nothing."""
MOST = 8
FEW = 4
"""Words that something said must have at least to be worth looking at."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_SIGNS: tuple[tuple[Category, re.Pattern[str]], ...] = (
    ("decision", re.compile(r"^we (?:have )?(?:decided|agreed|will go with|go with)\b|^decidimos\b", re.I)),
    ("preference", re.compile(r"^i (?:really )?(?:prefer|like|dislike|hate|never want|always want)\b|^(?:always|never)\b|^prefiro\b", re.I)),
    ("fact", re.compile(r"^(?:my|our) [\w' -]{2,40} (?:is|are|starts?|ends?)\b|^[A-Z][\w.'-]+ (?:works? (?:at|for)|lives? in|moved to)\b")),
)  # fmt: skip


@dataclass(frozen=True)
class ExtractedMemory:
    content: str
    category: Category
    confidence: float

    def as_args(self) -> CallArgs:
        return {"content": self.content, "category": self.category, "confidence": self.confidence}


def worth_a_look(said: Sequence[str]) -> bool:
    return any(len(text.split()) >= FEW for text in said)


def read(text: str) -> list[ExtractedMemory] | None:
    """What a mind found; nothing at all where it did not answer in the form that was asked for."""
    given = object_in(text).get("memories")
    if not isinstance(given, list):
        return None
    return [found for each in given if (found := _one(each))][:MOST]


def by_rules(said: Sequence[str]) -> list[ExtractedMemory]:
    """What the founder plainly stated. A question or an order is no memory."""
    found: list[ExtractedMemory] = []
    for sentence in (part.strip() for text in said for part in _SENTENCE.split(text)):
        category: Category | None = next((sort for sort, sign in _SIGNS if sign.search(sentence)), None)
        if category and not sentence.endswith("?") and len(sentence) <= 300:
            found.append(ExtractedMemory(sentence, category, 0.8))
    return found[:MOST]


def _one(given: Any) -> ExtractedMemory | None:
    content = given.get("content") if isinstance(given, dict) else None
    if not isinstance(content, str) or not content.strip():
        return None
    sure = given.get("confidence")
    category: Category = given["category"] if given.get("category") in get_args(Category) else "context"
    return ExtractedMemory(
        content.strip()[:1000],
        category,
        min(max(float(sure), 0.05), 1.0) if isinstance(sure, int | float) and not isinstance(sure, bool) else 0.8,
    )
