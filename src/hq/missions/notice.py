"""Notices of a mission to whom it concerns. Who waits for it hears by waking; an agent that does not is woken to read
it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from hq.database.queries import beside
from hq.door.tx import Tx
from hq.engine.sessions.trigger import SessionTrigger
from hq.graph.records import Stored
from hq.missions.parties import caller_node
from hq.org.agent import Agent
from hq.sessions.session_start import open_session

SQL = beside(__file__)


async def tell(tx: Tx, to: UUID | None, about: Stored[Any], summary: str, text: str, mission: UUID) -> UUID | None:
    """Wake an agent with a word about something, unless a session of it waits for just that, or it is the one calling.
    The founder is told by the event."""
    if to is None:
        return None
    agent = await tx.look_up(to)
    caller = await caller_node(tx)
    if agent is None or not isinstance(agent.props, Agent) or agent.props.status != "active":
        return None
    if caller is not None and caller.id == agent.id:
        return None
    # Only a wait for this very thing: who waits for a mission is not woken by what its agent asks meanwhile.
    waited = await tx.scalar(SQL["waited_for"], {"things": [f"{about.type}:{about.id}"], "agent": agent.slug}, of=bool)
    if waited:
        return None
    trigger = SessionTrigger(mission=str(mission), summary=summary[:200], text=text, sender=tx.caller.actor)
    return await open_session(tx, agent.slug, "mission", trigger)
