"""Owners of schedules: the agent that each starts, with whose rights."""

from __future__ import annotations

from hq.door.access import Owner
from hq.door.tx import Tx
from hq.schedules.occurrence import assignee
from hq.schedules.types import Schedule


async def owner_of_schedule(tx: Tx, ref: str) -> Owner | None:
    schedule = await tx.look_up(ref, Schedule)
    if schedule is None:
        return None
    agent = await assignee(tx, schedule)
    return Owner(agent.slug, frozenset((agent.slug,)))
