"""Owners of jobs: whom one wakes, or the house."""

from __future__ import annotations

from hq.door.access import Owner
from hq.door.tx import Tx
from hq.jobs.rows import JobRow
from hq.jobs.run import SQL


async def owner_of_job(tx: Tx, name: str) -> Owner | None:
    """The agent that it wakes. Where it belongs to a node, the room of that node says whose it is."""
    row = await tx.one(SQL["rows"], {"name": name}, into=JobRow)
    if row is not None and row.node_id is not None:
        return Owner(name, shared=True)
    return Owner(row.agent, frozenset((row.agent,))) if row is not None and row.agent else Owner("the house")
