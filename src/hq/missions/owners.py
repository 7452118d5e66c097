"""Owners of missions: who gave one decides about it, who has it does it, and never the one the other's part."""

from __future__ import annotations

from uuid import UUID

from hq.asks.types import Escalation
from hq.database.queries import beside
from hq.door.access import Owner
from hq.door.tx import Tx
from hq.missions.openspec_import import SOURCE
from hq.missions.parties import Parties, parties
from hq.missions.types import Mission
from hq.org.agent import Agent

SQL = beside(__file__)


async def owner_of_mission(tx: Tx, ref: str) -> Owner | None:
    """Who gave it; never who does it."""
    if (who := await _parties(tx, ref)) is None:
        return None
    doer = await _agents(tx, who.assignee)
    return Owner(_named(who), await _agents(tx, who.commander) - doer, barred=doer)


async def owner_of_assignment(tx: Tx, ref: str) -> Owner | None:
    """Who does it; where nobody does, the verb says so."""
    who = await _parties(tx, ref)
    if who is None or who.assignee is None:
        return None
    return Owner(_named(who), await _agents(tx, who.assignee))


async def owner_of_party(tx: Tx, ref: str) -> Owner | None:
    """Either of them."""
    if (who := await _parties(tx, ref)) is None:
        return None
    return Owner(_named(who), await _agents(tx, who.commander) | await _agents(tx, who.assignee))


async def owner_of_imported(tx: Tx, spec_ref: str) -> Owner | None:
    """Who gave all the missions that were made of a task list; of one that is new, nobody."""
    made = await tx.scalars(SQL["imported"], {"source": SOURCE, "list": f"{spec_ref}#"}, of=UUID)
    if not made:
        return None
    me = await tx.look_up(tx.caller.agent, Agent) if tx.caller.agent else None
    given = await tx.targets(made, ["commanded_by"])
    mine = me is not None and all(given.get((mission, "commanded_by")) == me.id for mission in made)
    why = f"the missions of {spec_ref} are another's; name your list otherwise with --spec-ref"
    return Owner("who imported it", frozenset((me.slug,)) if me and mine else frozenset[str](), why=why, ask="ceo")


async def owner_of_escalation(tx: Tx, ref: str) -> Owner | None:
    """Whom it was laid before; never who raised it."""
    escalation = await tx.look_up(ref, Escalation)
    if escalation is None:
        return None
    holders = [link.other_slug for link in await tx.links(escalation, edge="addressed_to")]
    name = f"whom {escalation.slug} was laid before"
    return Owner(name, frozenset(holders), barred=await _raised_by(tx, escalation.id), ask="ceo")


async def owner_of_raised_escalation(tx: Tx, ref: str) -> Owner | None:
    """Who raised it."""
    escalation = await tx.look_up(ref, Escalation)
    if escalation is None:
        return None
    return Owner("who raised it", await _raised_by(tx, escalation.id), why="only who raised it takes it back")


async def _raised_by(tx: Tx, escalation: UUID) -> frozenset[str]:
    ends = await tx.targets([escalation], ["requested_by"])
    return await _agents(tx, ends.get((escalation, "requested_by")))


def _named(who: Parties) -> str:
    return f"the mission {who.mission.slug}"


async def _parties(tx: Tx, ref: str) -> Parties | None:
    return await parties(tx, ref) if await tx.look_up(ref, Mission) else None


async def _agents(tx: Tx, id: UUID | None) -> frozenset[str]:
    node = await tx.look_up(str(id)) if id else None
    return frozenset((node.slug,)) if node and isinstance(node.props, Agent) else frozenset()
