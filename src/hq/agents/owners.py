"""Owners of sessions, workers and agents, and who leads whom: what the door asks before one agent reaches for another."""

from __future__ import annotations

from uuid import UUID

from hq.agents.rows import SightRow
from hq.agents.subagents.folder import PROJECT
from hq.database.queries import beside
from hq.door.access import Owner
from hq.door.tx import Tx
from hq.engine.sessions.lookup import opened_session
from hq.errors import Refused
from hq.graph.sight import Sight
from hq.ids import is_id, parse_id
from hq.org.agent import Agent
from hq.org.ceo_agent import ceo
from hq.org.owners import director_of_organisation
from hq.org.types import Handoff
from hq.sessions.workers.verbs import found as found_worker

SQL = beside(__file__)
STOPPED = ("frozen", "quarantined", "retired")


async def owner_of_agent(tx: Tx, ref: str) -> Owner | None:
    if ref == tx.caller.agent:  # oneself needs no looking up
        return Owner(ref, frozenset((ref,)))
    agent = await tx.look_up(ref, Agent)
    return Owner(agent.slug, frozenset((agent.slug,))) if agent else None


async def owner_of_agent_or_ceo(tx: Tx, ref: str | None) -> Owner | None:
    """Of an agent; where none is named, the CEO is meant."""
    return await owner_of_agent(tx, ref or await ceo(tx))


async def owner_of_project_work(tx: Tx, ref: str) -> Owner | None:
    """The agents whose files say that they have projects' agents work."""
    agent = await tx.look_up(tx.caller.agent, Agent) if tx.caller.agent else None
    mine = agent is not None and PROJECT in agent.props.subagents
    why = f"{tx.caller.actor} does not work on projects; `- {PROJECT}` under ## Subagents allowed would let it"
    return Owner("others", frozenset((agent.slug,)) if agent and mine else frozenset(), why=why, ask="founder")


async def owner_of_handoff(tx: Tx, ref: str) -> Owner | None:
    """The session that hands off."""
    handoff = await tx.look_up(ref, Handoff)
    if handoff is None:
        return None
    mine = str(tx.call.session_id) == handoff.props.from_session
    why = f"{handoff.slug} is another session's to write"
    return Owner(handoff.slug, actors=frozenset((tx.caller.speaks_as,)) if mine else frozenset(), why=why)


async def owner_of_stopped_agent(tx: Tx, ref: str) -> Owner | None:
    """Nobody but the founder, where an agent was stopped for a reason and not only paused."""
    agent = await tx.look_up(ref, Agent)
    if agent is None or agent.status not in STOPPED:
        return None
    return Owner(agent.slug, why=f"{agent.slug} is {agent.status}; only the founder lets it work again", ask="founder")


async def director_of_agent_seat(tx: Tx, ref: str) -> Owner | None:
    """The AR Director of the organisation in which an agent works."""
    agent = await tx.look_up(ref, Agent)
    homes = await tx.targets([agent.id], ["in_organisation"]) if agent else {}
    home = homes.get((agent.id, "in_organisation")) if agent else None
    return await director_of_organisation(tx, str(home)) if home else None


async def owner_of_session(tx: Tx, ref: str) -> Owner | None:
    """Its agent, and who works on it, which may go by another name: a session's calls about itself are its own."""
    row = await opened_session(tx, parse_id(ref)) if is_id(ref) else None
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
    return await tx.the_scalar(SQL["leads"], {"agent": tx.caller.agent, "others": list(agents)}, of=bool)


async def sight(tx: Tx) -> Sight:
    """Who calls and all above whom they sit; of what no agent is behind, such as a service, itself alone."""
    row = await tx.the_one(SQL["sight"], {"agent": tx.caller.agent, "principal": tx.caller.principal_id}, into=SightRow)
    return Sight(row.agents, row.parties, row.principals, row.producers)


async def belongs(tx: Tx, organisation: UUID) -> bool:
    """Whether who calls works in that organisation."""
    return await tx.the_scalar(SQL["belongs"], {"agent": tx.caller.agent, "organisation": organisation}, of=bool)
