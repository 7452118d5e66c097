"""Waits: what a call's answer says it waits for, out of an outcome; several of them together."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from hq.door.outcome import Outcome
from hq.engine.sessions.steps import SessionWait, WaitStep
from hq.sessions.transcript import Transcript


def awaited(outcome: Outcome) -> SessionWait:
    """An approval that nobody decides ends by itself, so whoever waits for it looks again then."""
    data = outcome.data
    things = [data["waits_for"]] if isinstance(data["waits_for"], str) else data["waits_for"]
    since = int(data.get("waits_since", outcome.sequence or 0))
    until = datetime.fromisoformat(data["expires_at"]) if data.get("expires_at") else None
    return SessionWait(things, data.get("waits_on", ()), since, until)


def together(waits: Iterable[SessionWait], until: datetime | None = None) -> SessionWait:
    """For whichever of them comes first, or until then."""
    each = list(waits)
    topics = {topic for wait in each for topic in wait.topics} if all(wait.topics for wait in each) else ()
    moments = [moment for moment in (until, *(wait.until for wait in each)) if moment]
    return SessionWait(
        [thing for wait in each for thing in wait.things],
        sorted(topics),
        min((wait.since or 0 for wait in each), default=0),
        min(moments, default=None),
    )


def resting(talk: Transcript, until: datetime | None = None, **more: Any) -> tuple[WaitStep, SessionWait]:
    """How one lies down that has answered: for what it asked for and still waits for, or until then."""
    wait = together((waited.wait for waited in talk.unsettled.values()), until)
    waits = {"things": list(wait.things)} if wait.things else {}
    return WaitStep(**{"rests": True, "answers": [], **waits, **more}), wait
