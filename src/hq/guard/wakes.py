"""Wakes that feed on themselves: an agent that wakes itself over and over, or two that only talk to each other."""

from __future__ import annotations

from datetime import timedelta

from hq.database.queries import beside
from hq.door.tx import Tx
from hq.errors import Refused
from hq.guard.loops import LoopLimits

SQL = beside(__file__, "wakes.sql")
WINDOW = timedelta(hours=1)
TALK = ["agent.send", "session.finalise", "incident.raise", "budget.warn", "budget.exceed", "budget.thaw"]
"""What is no progress: talking, and what the house itself writes down."""


async def check_wake(tx: Tx, agent: str) -> str | None:
    """Refuses a wake of `agent` that would go round once too often. The last that is let through says so: why."""
    sender = tx.caller.actor.removeprefix("agent:")
    if not tx.caller.actor.startswith("agent:"):
        return None
    limits = tx.use(LoopLimits)
    if sender == agent:
        return await _itself(tx, agent, limits.wakes)
    return await _each_other(tx, sender, agent, limits.pingpong)


async def _itself(tx: Tx, agent: str, most: int) -> str | None:
    since = tx.now - WINDOW
    row = await tx.one(SQL["woken_by"], {"agent": agent, "actor": f"agent:{agent}", "since": since})
    return _told(row.many, most, f"{agent} has woken itself {most} times within an hour")


async def _each_other(tx: Tx, sender: str, agent: str, most: int) -> str | None:
    a, b = sorted((sender, agent))
    row = await tx.one(SQL["back_and_forth"], {"a": a, "b": b, "since": tx.now - WINDOW, "talk": TALK})
    return _told(row.many, most, f"{a} and {b} sent each other {most} messages within an hour and changed nothing else")


def _told(before: int, most: int, why: str) -> str | None:
    if most and before >= most:
        raise Refused.conflict(f"{why}; do the work, ask the founder, or wait")
    return why if most and before + 1 == most else None
