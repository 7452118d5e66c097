"""Until when a session may work. A worker has one limit; in a thread each run has its own, and what it waits does not count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from hq.engine.sessions.journal import JournalStep
from hq.engine.sessions.steps import OpenStep, RunRequest, WaitStep, WakeStep
from hq.engine.sessions.trigger import SessionTrigger

NONE = timedelta()
PERMISSION = "approval:"
"""How the address of what is waited for begins, where it is somebody's yes."""


def worker_deadline(trigger: SessionTrigger, steps: Sequence[JournalStep], now: datetime) -> datetime | None:
    """What it waits for somebody's permission is not its own time."""
    if trigger.timeout is None:
        return None
    begun = steps[0].at if steps else now
    return begun + timedelta(seconds=trigger.timeout) + _parked(steps, now, for_permission)


def for_permission(step: JournalStep) -> bool:
    return isinstance(step.payload, WaitStep) and any(thing.startswith(PERMISSION) for thing in step.payload.things)


def runs_under_way(trigger: SessionTrigger, steps: Sequence[JournalStep]) -> list[RunRequest]:
    """The runs that a thread has taken up and not answered."""
    return [run for step in _since_rest(steps) for run in _runs(trigger, step)]


def run_deadline(trigger: SessionTrigger, steps: Sequence[JournalStep], now: datetime) -> datetime | None:
    """When the first of them has had its time."""
    recent = _since_rest(steps)
    ends = [
        step.at + timedelta(seconds=run.timeout) + _parked(recent[n:], now)
        for n, step in enumerate(recent)
        for run in _runs(trigger, step)
        if run.timeout
    ]
    return min(ends, default=None)


def _runs(trigger: SessionTrigger, step: JournalStep) -> Sequence[RunRequest]:
    match step.payload:
        case OpenStep():
            return trigger.runs
        case WakeStep(runs=runs):
            return runs
        case _:
            return ()


def _since_rest(steps: Sequence[JournalStep]) -> list[JournalStep]:
    """What followed the last rest. What was summed up is long answered, so it ends where steps are missing."""
    recent: list[JournalStep] = []
    for step in sorted(steps, key=lambda step: -step.number):
        rested = isinstance(step.payload, WaitStep) and step.payload.rests
        if rested or (recent and recent[-1].number - step.number > 1):
            break
        recent.append(step)
    return recent[::-1]


def _parked(
    steps: Sequence[JournalStep], now: datetime, counts: Callable[[JournalStep], bool] = lambda _: True
) -> timedelta:
    """How long it lay down meanwhile; where it still did when it was claimed, until now."""
    lay = [step.kind == "wait" and counts(step) for step in steps]
    waited = sum((after.at - step.at for (step, after), down in zip(pairwise(steps), lay, strict=False) if down), NONE)
    return waited + (now - steps[-1].at if lay and lay[-1] else NONE)
