"""Owners of jobs: whom one wakes, to whom what it belongs to is given, or the house."""

from __future__ import annotations

from hq.door.access import Owner
from hq.door.tx import Tx
from hq.jobs.job import JobRow
from hq.jobs.run import SQL


async def owner_of_job(tx: Tx, name: str) -> Owner | None:
    """The agent that it wakes, else the house."""
    row = await tx.one(SQL["rows"], {"name": name}, into=JobRow)
    if row is not None and row.node_id is not None:
        return Owner(name, shared=True)
    return Owner(row.agent, frozenset((row.agent,))) if row is not None and row.agent else Owner("the house")


async def owner_of_job_of_node(tx: Tx, name: str) -> Owner | None:
    """Where it belongs to a node, such as a schedule: the agent to which that is given."""
    row = await tx.one(SQL["rows"], {"name": name}, into=JobRow)
    if row is None or row.node_id is None:
        return None
    links = await tx.links(await tx.get(row.node_id), edge="assigned_to")
    return Owner(name, frozenset(link.other_slug for link in links if link.outward))
