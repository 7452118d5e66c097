"""Risk of giving a mission out: what it may cost is spending, and much of it more than that; a skill that is off is enabled. And of
looking at what it brought: an address is asked as a page is fetched."""

from __future__ import annotations

from typing import Any

from hq.door.gate import RiskPolicy
from hq.door.tx import Tx
from hq.door.verb import Verb
from hq.missions.brief_decisions import checks_for
from hq.missions.briefs.risks import assigning
from hq.missions.checks import checks_of, read_check
from hq.missions.loans import needed, risk_of_lending
from hq.missions.types import Mission

LOOKS = ("mission.check", "mission.submit")
"""What has the deliverables of a mission looked at."""


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


class CheckRisk(RiskPolicy):
    """Whoever has an address looked at reaches outside, and the address may tell what was read: the same as to fetch a page."""

    async def judge(self, tx: Tx, verb: Verb, args: Any) -> str | None:
        if verb.name not in LOOKS:
            return None
        mission = await tx.look_up(args.ref, Mission)
        if mission is None:
            return None
        checks = checks_of(mission.props.deliverables)
        checks += checks_for(mission.props.decided, checks)
        checks += [read_check(each.check) for each in getattr(args, "decisions", ())]
        tx.asks = list(dict.fromkeys(check.what for check in checks if check.kind == "url"))
        return "reversible" if tx.asks else None
