"""Seats: taking one, leaving one, and the agents that work there, now or at any moment.

Who sits where is one fact: an assignment, held by a persona, that fills a position. An agent sits where the persona sits that
it embodies. SQL reads the same from `ops.seats`. Agents are another room's, so here they are only nodes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from hq.door.tx import Tx
from hq.errors import Refused
from hq.graph.records import Stored
from hq.graph.store import NewLink
from hq.graph.view import EdgeFilter, NodeFilter, View
from hq.org.chart import EVERY, Chart, Holding, Seat, holdings
from hq.org.types import Persona, PositionAssignment


async def take_seat(
    tx: Tx, seat: Seat, persona: Stored[Persona], *, reassign: bool = False
) -> Stored[PositionAssignment]:
    if persona.props.status == "archived":
        raise Refused.conflict(
            f"{persona.slug} is archived", hint=f"`hq org persona update --slug {persona.slug} --status active` first"
        )
    if seat.holding:
        if seat.holding.persona.id == persona.id:
            raise Refused.conflict(f"{persona.slug} already sits in {seat.title}")
        if not reassign:
            raise Refused.conflict(
                f"{seat.title} is held by {seat.holding.persona.slug}", hint="--reassign displaces who sits there"
            )
        await leave_seat(tx, seat.holding, tx.call.reason or "reassigned")
    return await tx.create(
        PositionAssignment(
            label=f"{persona.props.name} as {seat.title}"[:500], assigned_at=tx.now, note=tx.call.reason or None
        ),
        links=[NewLink("fills", seat.position), NewLink("held_by", persona)],
    )


async def leave_seat(tx: Tx, holding: Holding, note: str | None) -> Stored[PositionAssignment]:
    """From here on its agents do nothing more from that seat."""
    return await tx.move(holding.assignment, to="ended", unassigned_at=tx.now, note=note)


async def seat_of(view: View, agent: Stored[Any]) -> UUID | None:
    """The position an agent works in; of several, the one it was given last."""
    return (await seats_of(view, [agent])).get(agent.id)


async def seats_of(view: View, agents: Sequence[Stored[Any]]) -> dict[UUID, UUID]:
    """The positions some agents work in, by their ids."""
    working = [each.id for each in agents if not each.over]
    are = {agent: persona for (agent, _), persona in (await view.targets(working, ["embodies"])).items()}
    if not are:
        return {}
    only = [EdgeFilter("held_by", persona) for persona in are.values()] if len(are) == 1 else []
    active = NodeFilter(types=[PositionAssignment.type], status="active", related=only, limit=EVERY)
    held = sorted(await view.find(active), key=lambda each: each.number or 0)
    ends = await view.targets([each.id for each in held], ["fills", "held_by"])
    last = {ends.get((each.id, "held_by")): ends.get((each.id, "fills")) for each in held}
    return {agent: seat for agent, persona in are.items() if (seat := last.get(persona))}


async def organisations_of(view: View, agents: Sequence[Stored[Any]]) -> dict[UUID, UUID]:
    """The organisation each agent works in: that of its seat or, without one, its own."""
    seats = await seats_of(view, agents)
    where = {each.id: seats.get(each.id, each.id) for each in agents}
    homes = await view.targets(where.values(), ["in_organisation"])
    return {agent: home for agent, place in where.items() if (home := homes.get((place, "in_organisation")))}


async def agents_of(view: View, personas: Collection[UUID]) -> dict[UUID, list[Stored]]:
    """Agents that may work, by the persona each is."""
    found: dict[UUID, list[Stored]] = {}
    if not personas:
        return found
    agents = [each for each in await view.find(NodeFilter(types=["agent"], limit=EVERY)) if not each.over]
    are = await view.targets([each.id for each in agents], ["embodies"])
    for agent in agents:
        if (persona := are.get((agent.id, "embodies"))) and persona in personas:
            found.setdefault(persona, []).append(agent)
    return found


async def agents_in(view: View) -> dict[UUID, list[Stored]]:
    """Agents that may work, by the seat they are in."""
    return await _by_seat(view, await holdings(view))


async def working_in(view: View, chart: Chart) -> dict[UUID, list[Stored]]:
    return await _by_seat(view, [seat.holding for seat in chart.seats.values() if seat.holding])


async def _by_seat(view: View, held: list[Holding]) -> dict[UUID, list[Stored]]:
    agents = await agents_of(view, {each.persona.id for each in held})
    return {each.seat: agents[each.persona.id] for each in held if each.persona.id in agents}


async def reporting_lines(view: View) -> dict[UUID, UUID]:
    """For each seat, the one it reports to."""
    seats = [each.id for each in await view.find(NodeFilter(types=["position"], limit=EVERY))]
    return {seat: above for (seat, _), above in (await view.targets(seats, ["reports_to"])).items()}


async def leads_somebody(view: View, seat: UUID) -> bool:
    """Whether somebody works in a seat below this one."""
    lines, found = await reporting_lines(view), set[UUID]()
    ahead = set(await agents_in(view))
    while ahead := {lines[each] for each in ahead if each in lines} - found:
        found |= ahead
    return seat in found
