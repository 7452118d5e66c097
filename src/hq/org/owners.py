"""Owners of organisations, who work there or direct them, and of personas, who are them."""

from __future__ import annotations

from uuid import UUID

from hq.door.access import Owner
from hq.door.tx import Tx
from hq.errors import Refused
from hq.org.agent import Agent
from hq.org.authority import kept_to, sitting
from hq.org.chart import find_organisation, find_persona, find_position
from hq.org.document.shape import read
from hq.org.importer.current_state import look
from hq.org.importer.planner import plan
from hq.org.types import Organisation


async def owner_of_organisation(tx: Tx, ref: str | None) -> Owner | None:
    try:
        organisation = await find_organisation(tx, ref)
    except Refused:
        return None
    return Owner(f"the organisation {organisation.slug}", organisation=organisation.id)


async def owner_of_neighbour(tx: Tx, ref: str) -> Owner | None:
    """Who works in another organisation, or that organisation itself; within one's own it is nobody's in particular."""
    node = await tx.look_up(ref)
    mine = await kept_to(tx, tx.caller.agent)
    if node is None or not mine:
        return None
    theirs = frozenset((node.id,)) if node.type == Organisation.type else await kept_to(tx, node.slug)
    if not theirs or theirs & mine:
        return None
    where = "is" if node.type == Organisation.type else "works in"
    why = f"{node.slug} {where} another organisation; who leads the company gives work across"
    return Owner(node.slug, frozenset((node.slug,)) if node.type == Agent.type else frozenset(), why=why, ask="ceo")


async def director_of_organisation(tx: Tx, ref: str | None) -> Owner | None:
    """Its AR Director; and no neighbour's."""
    try:
        organisation = await find_organisation(tx, ref)
    except Refused:
        return None
    return await _director(tx, f"the organisation {organisation.slug}", organisation.id)


async def director_of_seat(tx: Tx, number: str | None) -> Owner | None:
    """The AR Director of the organisation that a seat is in."""
    try:
        position = await find_position(tx, int(number or 0))
    except Refused:
        return None
    home = (await tx.targets([position.id], ["in_organisation"])).get((position.id, "in_organisation"))
    return await _director(tx, f"the seat {position.slug}", home)


async def director_of_document(tx: Tx, text: str | None, as_new: bool) -> Owner | None:
    """The AR Director of the organisation that a document describes; of one that is new, nobody."""
    found, _ = read(text or "")
    if found is None:
        return None
    step = plan(found, await look(tx, found), tx.now, as_new=as_new).organisation
    return await _director(tx, "the organisation it describes", step.node.id if step and step.node else None)


async def any_director(tx: Tx, ref: str | None) -> Owner | None:
    """Whoever directs one: roles and personas are of no organisation in particular."""
    mine = any(seat.directs for seat in await sitting(tx))
    return Owner("the AR Director", frozenset((tx.caller.agent_itself or "",)) if mine else frozenset())


async def _director(tx: Tx, name: str, organisation: UUID | None) -> Owner:
    directed = [seat.organisation for seat in await sitting(tx) if seat.directs]
    if not directed:
        return Owner(name)
    if organisation in directed:
        return Owner(name, frozenset((tx.caller.agent_itself or "",)))
    return Owner(
        name,
        closed=True,
        why=f"{tx.caller.actor} does not direct this organisation; send what you would change to its AR Director",
        ask="founder",
    )


async def owner_of_persona(tx: Tx, ref: str) -> Owner | None:
    try:
        persona = await find_persona(tx, ref)
    except Refused:
        return None
    links = await tx.links(persona, edge="embodies")
    return Owner(persona.slug, frozenset(link.other_slug for link in links if not link.outward))
