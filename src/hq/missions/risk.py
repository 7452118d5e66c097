"""Risk of giving a mission out: what it may cost is spending, and much of it more than that; a skill that is off is enabled."""

from __future__ import annotations

from typing import Any

from hq.door.gate import RiskPolicy
from hq.door.tx import Tx
from hq.door.verb import Verb
from hq.missions.briefs.risks import assigning
from hq.missions.loans import needed, risk_of_lending
from hq.missions.types import Mission


class AssignmentRisk(RiskPolicy):
    """By the skills it needs, and by what it may cost of what is left today."""

    async def judge(self, tx: Tx, verb: Verb, args: Any) -> str | None:
        if verb.name != "mission.assign":
            return None
        mission = await tx.look_up(args.ref, Mission)
        if mission is None:
            return None
        skills = await needed(tx, mission, args.skills)
        return await risk_of_lending(tx, skills) or await assigning(tx, mission)
