"""Seats, and the agents in them. They are another room's, so here they are only slugs."""

from __future__ import annotations

from uuid import UUID

from hq.graph.records import Stored
from hq.graph.view import NodeFilter, View
from hq.org.chart import EVERY, Chart


async def agents_in(view: View) -> dict[UUID, list[Stored]]:
    """Agents that may work, by the seat they are in."""
    agents = [each for each in await view.find(NodeFilter(types=["agent"], limit=EVERY)) if each.status != "retired"]
    seats = await view.targets([each.id for each in agents], ["sits_in"])
    found: dict[UUID, list[Stored]] = {}
    for agent in agents:
        if (seat := seats.get((agent.id, "sits_in"))) is not None:
            found.setdefault(seat, []).append(agent)
    return found


async def working_in(view: View, chart: Chart) -> dict[UUID, list[Stored]]:
    return {seat: agents for seat, agents in (await agents_in(view)).items() if seat in chart.seats}


async def reporting_lines(view: View) -> dict[UUID, UUID]:
    """For each seat, the one it reports to."""
    seats = [each.id for each in await view.find(NodeFilter(types=["position"], limit=EVERY))]
    return {seat: above for (seat, _), above in (await view.targets(seats, ["reports_to"])).items()}
