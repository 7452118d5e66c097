"""Owners of schedules: the agent that each starts, with whose rights."""

from __future__ import annotations

from hq.database.queries import beside
from hq.door.access import Owner
from hq.door.tx import Tx
from hq.schedules.occurrence import assignee
from hq.schedules.types import Schedule

SQL = beside(__file__)


async def owner_of_founders_schedule(tx: Tx, ref: str) -> Owner | None:
    """What a person had done by the clock: it ends by their word, or with it. What others set is judged by whom it wakes."""
    schedule = await tx.look_up(ref, Schedule)
    if schedule is None or not await tx.the_scalar(SQL["by_a_person"], {"producer": schedule.producer_id}, of=bool):
        return None
    return Owner("the founder", why=f"{schedule.slug} is the founder's")


async def owner_of_schedule(tx: Tx, ref: str) -> Owner | None:
    schedule = await tx.look_up(ref, Schedule)
    if schedule is None:
        return None
    agent = await assignee(tx, schedule)
    return Owner(agent.slug, frozenset((agent.slug,)))
