"""The closing snapshot: what a mind is asked once its task is complete, and how its answer is read: lenient, bounded,
never in the way."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from hq.minds.mind_json import object_in

PROMPT = """Your task is complete. Leave a snapshot for your next session, as one JSON object and nothing else:
{"summary": "what was done, in two or three sentences",
 "handover": "what the next session should know, 200 to 400 words, or empty if nothing is open",
 "memories": [{"kind": "fact|pattern|preference|anti_pattern|watch_item", "body": "at most 500 characters",
               "salience": 0.0 to 1.0, "about": "slug it concerns, or leave it out"}]}
Only what will still matter next week belongs in memories; an empty list means there was nothing."""
KINDS = ("fact", "pattern", "preference", "anti_pattern", "watch_item")


class LeftMemory(TypedDict):
    """Something to remember, as `session.finalise` takes it."""

    kind: str
    body: str
    salience: float
    about: NotRequired[str]


class ClosingSnapshot(TypedDict, total=False):
    """What a session leaves behind, as `session.finalise` takes it."""

    summary: str
    handover: str
    memories: list[LeftMemory]
    nothing_learned: bool
    reason: str


def read(text: str, said: str) -> ClosingSnapshot:
    """The snapshot in what the mind answered, as `session.finalise` takes it; where there is none, what it said last stands for
    its summary."""
    given = object_in(text)
    memories = [kept for each in given.get("memories") or () if (kept := _memory(each))][:20]
    return {
        "summary": _text(given.get("summary"), 8000) or said[:8000],
        "handover": _text(given.get("handover"), 8000),
        "memories": memories,
        "nothing_learned": not memories,
    }


def _memory(given: Any) -> LeftMemory | None:
    if not isinstance(given, dict) or not _text(given.get("body"), 500):
        return None
    salience = given.get("salience")
    memory: LeftMemory = {
        "kind": given["kind"] if given.get("kind") in KINDS else "fact",
        "body": _text(given["body"], 500),
        "salience": min(max(float(salience), 0.0), 1.0) if isinstance(salience, int | float) else 0.5,
    }
    if about := _text(given.get("about"), 200):
        memory["about"] = about
    return memory


def _text(given: Any, longest: int) -> str:
    return given.strip()[:longest] if isinstance(given, str) else ""
