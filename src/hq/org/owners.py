"""Owners of organisations, who work there or direct them, and of personas, who are them."""

from __future__ import annotations

from uuid import UUID

from hq.database.queries import beside
from hq.door.access import Owner
from hq.door.tx import Tx
from hq.errors import Refused
from hq.org.agent import Agent
from hq.org.authority import kept_to, serves_all, sitting
from hq.org.ceo_agent import ceo
from hq.org.chart import find_organisation, find_persona, find_position, load
from hq.org.document.shape import read
from hq.org.importer.current_state import look
from hq.org.importer.planner import plan
from hq.org.seats import agents_in
from hq.org.types import Organisation

SQL = beside(__file__)


async def owner_of_organisation(tx: Tx, ref: str | None) -> Owner | None:
    try:
        organisation = await find_organisation(tx, ref)
    except Refused:
        return None
    return Owner(f"the organisation {organisation.slug}", organisation=organisation.id)


async def owner_of_measure(tx: Tx, ref: str | None, value: float) -> Owner | None:
    """Whoever works there says what an organisation is worth. What lets a seat go on that has to stop, only who sits above such a
    seat and is bound by none says."""
    try:
        organisation = await find_organisation(tx, ref)
    except Refused:
        return None
    seats, now = (await load(tx, organisation)).seats, organisation.props.value_under_management
    floors = {id: floor for id, seat in seats.items() if (floor := seat.position.props.hard_stop_below) is not None}
    if not any(now is not None and now < floor <= value for floor in floors.values()):
        return Owner(f"the organisation {organisation.slug}", organisation=organisation.id)
    above: set[UUID] = set()
    ahead = {seats[id].reports_to for id in floors}
    while found := {id for id in ahead if id is not None and id in seats and id not in above}:
        above |= found
        ahead = {seats[id].reports_to for id in found}
    working = await agents_in(tx)
    agents = frozenset(agent.slug for seat in above - floors.keys() for agent in working.get(seat, ()))
    why = f"that lets seats of {organisation.slug} go on that have to stop; who leads them, the CEO or the founder says it"
    return Owner(f"the organisation {organisation.slug}", agents, why=why, ask="ceo")


async def owner_of_neighbour(tx: Tx, ref: str) -> Owner | None:
    """Who works in another organisation, or that organisation itself; within one's own it is nobody's in particular. Who
    works in none in particular gives work to anybody, and to no organisation; a program that is none of the company's agents to the
    CEO alone, unless its token names the call."""
    node = await tx.look_up(ref)
    if node is None or await serves_all(tx, tx.caller.agent):
        return None
    if tx.caller.off_record and node.type == Agent.type and tx.call.verb not in tx.caller.scopes:
        if node.slug == await ceo(tx):
            return None
        why = f"a program that is no agent of the company turns to the CEO, not to {node.slug}"
        return Owner(node.slug, frozenset((node.slug,)), why=why, ask="ceo")
    mine, whole = await _home(tx), node.type == Organisation.type
    theirs = frozenset((node.id,)) if whole else await kept_to(tx, node.slug)
    if not theirs or theirs & mine or not (mine or whole):
        return None
    where = "is" if whole else "works in"
    why = f"{node.slug} {where} another organisation; who leads the company gives work across"
    return Owner(node.slug, frozenset((node.slug,)) if node.type == Agent.type else frozenset(), why=why, ask="ceo")


async def owner_abroad(tx: Tx, ref: str) -> Owner | None:
    """What is of other organisations than those who calls keeps to: by itself, by who gave it or does it, or by its mission. What is
    of none, and of one's own too, is nobody's in particular. Who has no organisation reaches none."""
    node = await tx.look_up(ref.rstrip("/").rpartition("/")[2])
    if node is None or await serves_all(tx, tx.caller.agent):
        return None
    theirs = await _organisations_of(tx, node.id)
    if not theirs or theirs & await _home(tx):
        return None
    return Owner(
        node.slug, why=f"{node.slug} is of another organisation; who leads the company works across", ask="ceo"
    )


async def owner_of_aim(tx: Tx, ref: str | None) -> Owner | None:
    """What the whole company wants to reach, whoever leads it says. What an organisation wants, is judged by that."""
    node = await tx.look_up(ref) if ref else None
    if ref and (node is None or await _organisations_of(tx, node.id)):
        return None
    return Owner("the company", why="what the company wants to reach its CEO and its founder say", ask="ceo")


async def owner_of_start(tx: Tx, ref: str | None) -> Owner | None:
    """A program that is none of the company's agents starts no work of its own on the company's account, unless its token names that."""
    if not tx.caller.off_record or tx.caller.names(tx.door.registry.get(tx.call.verb)):
        return None
    why = (
        f"{tx.caller.actor} is no agent of the company, and has no budget; give it a token that names `{tx.call.verb}`"
    )
    return Owner("the company", why=why, ask="founder")


async def _home(tx: Tx) -> frozenset[UUID]:
    """The organisations that who calls keeps to: its agent's, and as the agent of a project those of that."""
    mine = await kept_to(tx, tx.caller.agent)
    project = await tx.look_up(tx.caller.project) if tx.caller.project else None
    return mine | await _organisations_of(tx, project.id) if project else mine


async def _organisations_of(tx: Tx, id: UUID) -> frozenset[UUID]:
    return frozenset(await tx.scalars(SQL["organisations_of"], {"id": id}, of=UUID))


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
