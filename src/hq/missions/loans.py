"""Loans of skills: what a mission needs, whoever works on it has for that long (row J15).

A skill that is off is enabled with the yes to giving the mission out; one that is on is lent by its brief. Who lends what is not its
own to use, and is not the CEO, asks.
"""

from __future__ import annotations

from collections.abc import Iterable

from hq.door.tx import Tx
from hq.graph.records import Stored
from hq.graph.view import NodeFilter
from hq.missions.types import Brief, Mission
from hq.skills.held import holders
from hq.skills.registry import enable_for_use, known


async def lent(tx: Tx, skill: str) -> frozenset[str]:
    """The agents that have a skill by a brief they work on."""
    found = await tx.find(NodeFilter(types=[Brief.type], props={"skills": [skill]}, limit=200))
    live = [each.id for each in found if not each.over]
    workers = set((await tx.targets(live, ["assigned_to"])).values()) if live else set()
    return frozenset([(await tx.get(each)).slug for each in workers])


async def needed(tx: Tx, mission: Stored[Mission], more: Iterable[str]) -> list[str]:
    """The skills of a mission and those named beside it, by slug; one that there is not is refused."""
    return [(await known(tx, name)).slug for name in dict.fromkeys((*mission.props.skills, *more))]


async def risk_of_lending(tx: Tx, skills: Iterable[str]) -> str | None:
    """The class of a call that lends these: enabling one is staffing, handing on what is not one's own reaches too far."""
    held = [await known(tx, name) for name in skills]
    if not all(skill.enabled for skill in held):
        return "staffing"
    mine = tx.caller.role == "ceo" or all([tx.caller.agent in await holders(tx, skill) for skill in held])
    return None if mine else "cross_scope"


async def lend(tx: Tx, skills: Iterable[str], *, enables: bool) -> list[str]:
    """Those that can be used now. What nobody was asked about is not enabled: then the first use of it asks."""
    held = [await enable_for_use(tx, name) if enables else await known(tx, name) for name in skills]
    return [skill.slug for skill in held if skill.enabled]
