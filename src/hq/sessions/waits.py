"""Waits: what a call's answer says it waits for, out of an outcome, and into a journal and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from hq.door.outcome import Outcome
from hq.engine.sessions.journal import SessionWait


def awaited(outcome: Outcome) -> SessionWait:
    """An approval that nobody decides ends by itself, so whoever waits for it looks again then."""
    data = outcome.data
    things = [data["waits_for"]] if isinstance(data["waits_for"], str) else data["waits_for"]
    since = int(data.get("waits_since", outcome.sequence or 0))
    return SessionWait(things, data.get("waits_on", ()), since, _moment(data.get("expires_at")))


def together(waits: Iterable[SessionWait], until: datetime | None = None) -> SessionWait:
    """For whichever of them comes first, or until then."""
    each = list(waits)
    topics = {topic for wait in each for topic in wait.topics} if all(wait.topics for wait in each) else ()
    moments = [moment for moment in (until, *(wait.until for wait in each)) if moment]
    return SessionWait(
        [thing for wait in each for thing in wait.things],
        sorted(topics),
        min((wait.since for wait in each), default=0),
        min(moments, default=None),
    )


def dump_wait(wait: SessionWait) -> dict[str, Any]:
    until = wait.until.isoformat() if wait.until else None
    return {"things": list(wait.things), "topics": list(wait.topics), "since": wait.since, "until": until}


def read_wait(dumped: Mapping[str, Any]) -> SessionWait:
    return SessionWait(dumped["things"], dumped["topics"], dumped["since"], _moment(dumped["until"]))


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
