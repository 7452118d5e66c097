"""Until when a worker may work; what it waits for somebody's permission or a mind, or is paused, does not count."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from hq.engine.sessions.journal import JournalStep
from hq.engine.sessions.steps import StepPayload, WaitStep
from hq.engine.sessions.trigger import SessionTrigger

NONE = timedelta()
PERMISSION = "approval:"
"""How the address of what is waited for begins, where it is somebody's yes."""


def worker_deadline(trigger: SessionTrigger, steps: Sequence[JournalStep], now: datetime) -> datetime | None:
    """What it waits for somebody's permission or a mind, or is paused, is not its own time."""
    if trigger.timeout is None:
        return None
    begun = steps[0].at if steps else now
    return begun + timedelta(seconds=trigger.timeout) + _parked(steps, now)


def not_its_own(wait: StepPayload) -> bool:
    """Somebody's permission, a pause, or a mind that does not answer."""
    if not isinstance(wait, WaitStep):
        return False
    return bool(wait.paused or wait.busy or wait.down) or any(thing.startswith(PERMISSION) for thing in wait.things)


def _parked(steps: Sequence[JournalStep], now: datetime) -> timedelta:
    """How long it lay down meanwhile; where it still did when it was claimed, until now."""
    lay = [not_its_own(step.payload) for step in steps]
    waited = sum((after.at - step.at for (step, after), down in zip(pairwise(steps), lay, strict=False) if down), NONE)
    return waited + (now - steps[-1].at if lay and lay[-1] else NONE)
