"""Risk of running a skill: by what its command does, as the founder enabled it."""

from __future__ import annotations

from typing import Any

from hq.door.gate import RiskPolicy
from hq.door.text import short_texts
from hq.door.tx import Tx
from hq.door.verb import Verb
from hq.skills.held import held


class SkillRisk(RiskPolicy):
    """What only looks needs no further word; the rest goes by the risk table. For what is not enabled the founder is asked."""

    async def judge(self, tx: Tx, verb: Verb, args: Any) -> str | None:
        if verb.name != "skill.run":
            return None
        grounds = set(tx.taint)
        skill = await held(tx, args.skill)
        if skill is None:
            return None  # the verb says better what is wrong
        if not skill.enabled:
            return "cross_scope"
        effects = {c.effect for c in skill.skill.commands if c.name == getattr(args, "command", c.name)}
        if effects <= {"read"}:
            return None
        await tx.named(short_texts(args.model_dump(mode="json")))  # what it names is what it is made of
        vouched = skill.node.taint if skill.node else frozenset()  # for the skill itself, by enabling it
        tx.taint -= vouched - grounds
        # On grounds from outside the gate asks anyway.
        return "irreversible" if "irreversible" in effects else "reversible"
