"""Quiet hours and the founder's attention: when something that can wait is said, so that it neither wakes nor nags anybody."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

Severity = Literal["info", "warning", "critical"]
AN_HOUR = timedelta(hours=1)
PER_HOUR = 6
"""So many things that nobody waits for are put before the founder within an hour; the rest waits its turn."""


def quiet_until(now: datetime, zone: str, begins: time | None, ends: time | None) -> datetime | None:
    """When the quiet that holds now is over, by the clocks of that place; nothing where it is not quiet."""
    if begins is None or ends is None or begins == ends:
        return None
    local = now.astimezone(ZoneInfo(zone))
    over_night = begins > ends
    at = local.timetz().replace(tzinfo=None)
    if not (at >= begins or at < ends if over_night else begins <= at < ends):
        return None
    day = local.date() + timedelta(days=1 if over_night and at >= begins else 0)
    return datetime.combine(day, ends, tzinfo=ZoneInfo(zone)).astimezone(now.tzinfo)


@dataclass(frozen=True, slots=True)
class AttentionRow:
    """What decides whether the founder is disturbed now: quiet hours, whether they are here, and how much they heard lately."""

    time_zone: str
    quiet_from: time | None
    quiet_to: time | None
    here: bool
    heard: int
    first: datetime | None


def when_to_speak(row: AttentionRow, severity: Severity, now: datetime, *, waited_for: bool = False) -> datetime:
    """Now, or later. What is critical breaks through, and whoever is just talking to us is not asleep. What somebody waits
    for, an answer or the result of a mission, is never held because enough was said already."""
    if severity == "critical":
        return now
    if not row.here and (until := quiet_until(now, row.time_zone, row.quiet_from, row.quiet_to)):
        return until
    return row.first + AN_HOUR if row.first and row.heard >= PER_HOUR and not waited_for else now
