"""An agent's presence, told from its sessions and never stored (002 §16.4)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Literal

from hq.org.agent import Agent

Presence = Literal["warm", "cooldown", "cold", "stopped"]


def presence_of(agent: Agent, seen: Any, now: datetime) -> Presence:
    """Warm at work; in cooldown shortly after; cold until something wakes it; stopped when nothing would."""
    if seen and seen.running:
        return "warm"
    if agent.status != "active":
        return "stopped"
    window = timedelta(seconds=agent.warm_window_seconds)
    if seen and seen.ended_at and now - seen.ended_at < window:
        return "cooldown"
    return "cold"
