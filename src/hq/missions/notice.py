"""Notices of a mission to whom it concerns. Who waits for it hears by waking; an agent that does not is woken to read
it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from hq.agents.wakeup import chain_behind
from hq.database.queries import beside
from hq.door.tx import Tx
from hq.engine.sessions.trigger import SessionTrigger
from hq.graph.records import Stored
from hq.ids import new_id
from hq.messages.addresses import To
from hq.messages.post import Draft, Kind, join, write
from hq.missions.life import IN_HAND
from hq.missions.parties import caller_node
from hq.missions.types import Mission
from hq.missions.work_start import begin_work
from hq.org.agent import Agent
from hq.sessions.inbound import tell_session
from hq.sessions.session_start import open_session
from hq.sessions.thread import founders_thread

SQL = beside(__file__)


async def tell(
    tx: Tx, to: UUID | None, about: Stored[Any], summary: str, text: str, mission: UUID, *, reports: bool = False
) -> UUID | None:
    """Wake an agent with a word about something, unless a session of it waits for just that, or it is the one calling: one
    wake for one event. The founder is told by the event; what the CEO has to add to a report it says in their conversation,
    for what is said in a session of its own nobody hears."""
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
    if reports and (talk := await founders_thread(tx, agent)):
        if tx.caller.in_person:
            return None  # who ended it is who would be told; the CEO sees it with how things stand
        await tell_session(tx, talk, agent.slug, text, kind="report")
        return talk
    if (work := await _work_of(tx, agent, mission)) is not None:
        return await _join(tx, agent, work, text, "report" if reports else "answer")
    trigger = SessionTrigger(mission=str(mission), summary=summary[:200], text=text, sender=tx.caller.actor)
    return await open_session(tx, agent.slug, "mission", trigger)


async def _work_of(tx: Tx, agent: Stored[Agent], mission: UUID) -> Stored[Mission] | None:
    """The mission, where the agent is at work on it, or is to be."""
    who = await tx.targets([mission], ["assigned_to"])
    if who.get((mission, "assigned_to")) != agent.id:
        return None
    work = await tx.get(mission, Mission)
    return work if work.status in IN_HAND else None


async def _join(tx: Tx, agent: Stored[Agent], work: Stored[Mission], text: str, kind: Kind) -> UUID:
    """Said to who is on it, at the next turn; where nobody is, in a session that goes on with it, at its tree."""
    if (session := await join(tx, agent.slug, work.id, "this")) is None:
        return await begin_work(tx, work, agent, text)
    await write(tx, Draft(kind, text, agent.slug), new_id(), To(agent.slug), "queued", None, await chain_behind(tx))
    return session
