"""Until when a session may work. A worker has one limit; in a thread each run has its own, and what it waits does not count."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from hq.engine.sessions.journal import JournalStep

NONE = timedelta()
PERMISSION = "approval:"
"""How the address of what is waited for begins, where it is somebody's yes."""


def worker_deadline(trigger: Mapping[str, Any], steps: Sequence[JournalStep], now: datetime) -> datetime | None:
    """What it waits for somebody's permission, or is paused, is not its own time."""
    if "timeout" not in trigger:
        return None
    begun = steps[0].at if steps else now
    return begun + timedelta(seconds=trigger["timeout"]) + _parked(steps, now, not_its_own)


def not_its_own(step: JournalStep) -> bool:
    return "paused" in step.payload or for_permission(step)


def for_permission(step: JournalStep) -> bool:
    things = step.payload.get("for") or ()
    return any(thing.startswith(PERMISSION) for thing in ([things] if isinstance(things, str) else things))


def runs_under_way(trigger: Mapping[str, Any], steps: Sequence[JournalStep]) -> list[dict[str, Any]]:
    """The runs that a thread has taken up and not answered."""
    return [run for step in _since_rest(steps) for run in _runs(trigger, step)]


def run_deadline(trigger: Mapping[str, Any], steps: Sequence[JournalStep], now: datetime) -> datetime | None:
    """When the first of them has had its time."""
    recent = _since_rest(steps)
    ends = [
        step.at + timedelta(seconds=run["timeout"]) + _parked(recent[n:], now)
        for n, step in enumerate(recent)
        for run in _runs(trigger, step)
        if run.get("timeout")
    ]
    return min(ends, default=None)


def _runs(trigger: Mapping[str, Any], step: JournalStep) -> Sequence[dict[str, Any]]:
    match step.kind:
        case "open":
            return trigger.get("runs", ())
        case "wake":
            return step.payload.get("runs", ())
        case _:
            return ()


def _since_rest(steps: Sequence[JournalStep]) -> list[JournalStep]:
    """What followed the last rest. What was summed up is long answered, so it ends where steps are missing."""
    recent: list[JournalStep] = []
    for step in sorted(steps, key=lambda step: -step.number):
        rested = step.kind == "wait" and step.payload.get("rests")
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
