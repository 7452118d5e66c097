"""Risk of running a skill: by what its command does, as the founder enabled it."""

from __future__ import annotations

from typing import Any

from hq.door.gate import RiskPolicy
from hq.door.text import short_texts
from hq.door.tx import Tx
from hq.door.verb import Verb
from hq.skills.types import Skill


class SkillRisk(RiskPolicy):
    """What only looks needs no further word; the rest goes by the risk table."""

    async def judge(self, tx: Tx, verb: Verb, args: Any) -> str | None:
        if verb.name != "skill.run":
            return None
        marks = set(tx.taint)
        skill = await tx.look_up(args.skill, Skill)
        if skill is None:
            return None  # the verb says better what is wrong
        effects = {c.effect for c in skill.props.commands if c.name == getattr(args, "command", c.name)}
        if effects <= {"read"}:
            return None
        await tx.named(short_texts(args.model_dump(mode="json")))  # what it names is what it is made of
        marks |= tx.taint - skill.taint  # for the skill itself the founder vouched by enabling it
        return "untargeted" if marks else "irreversible" if "irreversible" in effects else "reversible"
