"""Cron in a place's own time: 07:00 is 07:00 all year, whatever the clocks did that night."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from cronsim import CronSim


def next_after(cron: str, moment: datetime, zone: str) -> datetime:
    """The next occurrence, strictly later. An hour that a change of clocks skips happens right after; none twice."""
    local = moment.astimezone(ZoneInfo(zone))
    return next(CronSim(cron, local)).astimezone(moment.tzinfo)
