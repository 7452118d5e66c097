"""The risk of running a skill, and who may: by what its command does, as the founder enabled it."""

from __future__ import annotations

from typing import Any

from hq.agents.types import Agent
from hq.door.text import short_texts
from hq.door.tx import Tx
from hq.door.verb import Verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.graph.view import EdgeFilter, NodeFilter
from hq.skills.types import Skill

RUNS = ("skill.run", "skill.test")


class SkillPolicy:
    """An agent runs what it was given. What only looks needs no further word; the rest goes by the risk table."""

    async def judge(self, tx: Tx, verb: Verb, args: Any) -> str | None:
        if verb.name not in RUNS or tx.caller.human:
            return None
        marks = set(tx.taint)
        skill = await tx.look_up(args.skill, Skill)
        if skill is None:
            return None  # the verb says better what is wrong
        if not skill.props.mandatory and not await _has(tx, skill):
            raise Refused.forbidden(
                f"{tx.caller.actor} does not have the skill {skill.slug}",
                hint=f"`hq skill grant {skill.slug} <agent>`, by who leads or the founder",
            )
        effects = {c.effect for c in skill.props.commands if c.name == getattr(args, "command", c.name)}
        if effects <= {"read"} or verb.name == "skill.test":
            return None
        await tx.named(short_texts(args.model_dump(mode="json")))  # what it names is what it is made of
        marks |= tx.taint - skill.taint  # for the skill itself the founder vouched by enabling it
        return "untargeted" if marks else "irreversible" if "irreversible" in effects else "reversible"


async def _has(tx: Tx, skill: Stored[Skill]) -> bool:
    name = tx.caller.actor.partition(":")[2].partition("/")[0]  # a worker goes by the agent that sent it
    held = await tx.find(NodeFilter(types=[Agent.type], related=[EdgeFilter("has_skill", skill.id)], limit=500))
    return name in {agent.slug for agent in held}
