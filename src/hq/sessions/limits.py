"""Until when a worker may work; what it waits for somebody's permission, or is paused, does not count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from hq.engine.sessions.journal import JournalStep
from hq.engine.sessions.steps import WaitStep
from hq.engine.sessions.trigger import SessionTrigger

NONE = timedelta()
PERMISSION = "approval:"
"""How the address of what is waited for begins, where it is somebody's yes."""


def worker_deadline(trigger: SessionTrigger, steps: Sequence[JournalStep], now: datetime) -> datetime | None:
    """What it waits for somebody's permission, or is paused, is not its own time."""
    if trigger.timeout is None:
        return None
    begun = steps[0].at if steps else now
    return begun + timedelta(seconds=trigger.timeout) + _parked(steps, now, not_its_own)


def not_its_own(step: JournalStep) -> bool:
    return isinstance(step.payload, WaitStep) and (step.payload.paused is not None or for_permission(step))


def for_permission(step: JournalStep) -> bool:
    return isinstance(step.payload, WaitStep) and any(thing.startswith(PERMISSION) for thing in step.payload.things)


def _parked(steps: Sequence[JournalStep], now: datetime, counts: Callable[[JournalStep], bool]) -> timedelta:
    """How long it lay down meanwhile; where it still did when it was claimed, until now."""
    lay = [step.kind == "wait" and counts(step) for step in steps]
    waited = sum((after.at - step.at for (step, after), down in zip(pairwise(steps), lay, strict=False) if down), NONE)
    return waited + (now - steps[-1].at if lay and lay[-1] else NONE)
