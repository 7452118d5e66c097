"""A new wish: who works on a mission hears that something else is wanted of it, before anything else it does."""

from __future__ import annotations

from hq.door.tx import Tx
from hq.messages.post import Draft, post
from hq.missions.life import IN_HAND
from hq.missions.parties import Parties, agent_name
from hq.org.agent import Agent


async def told(tx: Tx, who: Parties, said: str) -> str | None:
    """Which agent is told; nobody where nobody is at work on it, or who is says so itself."""
    agent = await tx.look_up(str(who.assignee), Agent) if who.assignee and who.mission.status in IN_HAND else None
    if agent is None or agent.props.status != "active" or agent.slug == agent_name(tx):
        return None
    await post(tx, Draft("interrupt", said, agent.slug))
    return agent.slug
