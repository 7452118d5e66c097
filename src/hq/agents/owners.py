"""Owners of sessions, workers and agents, and who leads whom: what the door asks before one agent reaches for another."""

from __future__ import annotations

from uuid import UUID

from hq.agents.types import Agent
from hq.agents.workers.verbs import found as found_worker
from hq.database.queries import beside
from hq.door.access import Owner
from hq.door.tx import Tx
from hq.engine.sessions.lookup import session_row
from hq.errors import Refused
from hq.ids import is_id, parse_id

SQL = beside(__file__)


async def owner_of_agent(tx: Tx, ref: str) -> Owner | None:
    agent = await tx.look_up(ref, Agent)
    return Owner(agent.slug, frozenset((agent.slug,))) if agent else None


async def owner_of_session(tx: Tx, ref: str) -> Owner | None:
    """Its agent, and who works on it, which may go by another name: a session's calls about itself are its own."""
    row = await session_row(tx, parse_id(ref)) if is_id(ref) else None
    if row is None:
        return None
    me = tx.caller.agent if tx.call.session_id == row.id else None
    return Owner(row.agent, frozenset(filter(None, (row.agent, me))))


async def owner_of_worker(tx: Tx, ref: str) -> Owner | None:
    try:
        worker = await found_worker(tx, ref)
    except Refused:
        return None
    return await owner_of_session(tx, str(worker.id))


async def leads(tx: Tx, agents: frozenset[str]) -> bool:
    """Whether who calls sits above one of them."""
    row = await tx.one(SQL["leads"], {"agent": tx.caller.agent, "others": list(agents)})
    return row.leads


async def belongs(tx: Tx, organisation: UUID) -> bool:
    """Whether who calls works in that organisation."""
    row = await tx.one(SQL["belongs"], {"agent": tx.caller.agent, "organisation": organisation})
    return row.belongs
