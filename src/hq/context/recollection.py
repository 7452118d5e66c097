"""Recollection: once a thread has gone quiet, what was said since the last time is looked through for what to
remember."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from hq.engine.sessions.journal import JournalStep

QUIET = timedelta(minutes=10)
"""After this long without a word a conversation counts as over."""
LONGEST = 24_000
"""Characters of a conversation that are looked through, the newest of it."""


@dataclass(frozen=True)
class UnreviewedTalk:
    """What was said since the last time."""

    founder: Sequence[str]
    all: str
    upto: int


def is_due(steps: Sequence[JournalStep], now: datetime) -> bool:
    # A card that was put into the conversation meanwhile is no word of anybody's.
    last = max((step for step in steps if "card" not in step.payload), key=lambda step: step.number, default=None)
    return bool(
        last
        and last.kind == "wait"
        and last.payload.get("rests")
        and last.payload.get("quiet_at", "~") <= now.isoformat()
    )


def said_since(trigger: Mapping[str, Any], steps: Sequence[JournalStep]) -> UnreviewedTalk:
    ordered = sorted(steps, key=lambda step: step.number)
    since = max((step.payload["remembered"] for step in ordered if "remembered" in step.payload), default=0)
    lines: list[str] = []
    founder: list[str] = []
    for step in ordered:
        if step.number <= since:
            continue
        match step.kind:
            case "open" | "wake":
                text = str(trigger.get("text", "")) if step.kind == "open" else step.payload["prompt"]
                founder.append(text)
                lines.append(f"Founder: {text}")
            case "mind":
                parts = step.payload["response"]["parts"]
                lines += [f"Answer: {part['content']}" for part in parts if part["part_kind"] == "text"]
            case _:
                pass
    return UnreviewedTalk(founder, "\n".join(lines)[-LONGEST:], ordered[-1].number if ordered else 0)
