"""Owners of skills: the agents that were given one. What is mandatory is everybody's."""

from __future__ import annotations

from hq.agents.types import Agent
from hq.door.access import Owner, Touch
from hq.door.tx import Tx
from hq.graph.view import EdgeFilter, NodeFilter
from hq.skills.types import Skill

GIVEN = Touch("skill", "skill", ceo="own", operator="own", house="own")


async def owner_of_skill(tx: Tx, ref: str) -> Owner | None:
    skill = await tx.look_up(ref, Skill)
    if skill is None or skill.props.mandatory:
        return None
    held = await tx.find(NodeFilter(types=[Agent.type], related=[EdgeFilter("has_skill", skill.id)], limit=500))
    why = (
        f"{tx.caller.actor} does not have the skill {skill.slug};"
        f" `hq skill grant {skill.slug} <agent>`, by who leads or the founder"
    )
    return Owner(skill.slug, frozenset(agent.slug for agent in held), why=why, ask="ceo")
