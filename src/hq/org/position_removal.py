"""`hq org position remove`: a seat goes, and what hung on it is let go with a flag, never by itself."""

from __future__ import annotations

from dataclasses import replace

from pydantic import Field

from hq.door.access import STAFF
from hq.door.tx import Tx
from hq.door.verb import Args, Result, verb
from hq.errors import Refused
from hq.org.authority import directed
from hq.org.chart import Chart, Seat, find_seat, lock
from hq.org.checks import flaws
from hq.org.importer.executor import end_line
from hq.org.invariants import in_order
from hq.org.positions import check, draw
from hq.org.seats import leave_seat, working_in


class PositionRemoveArgs(Args):
    """Which seat, and what becomes of those around it."""

    position_id: int = Field(ge=1)
    """Its number."""
    preview: bool = False
    """Only show what it would touch."""
    reparent: bool = False
    """Let its direct reports report to the seat above it, and what escalates to it escalate where it does."""
    unassign: bool = False
    """End the assignment of whoever sits there."""


class PositionRemoved(Result):
    position_id: int
    slug: str
    title: str
    reports: list[str]
    """Who reports to it."""
    escalations: list[str]
    """Who escalates to it."""
    persona_slug: str | None = None
    """Who sits there."""
    agents: list[str]
    """Agents that would be without a seat."""
    preview: bool = False
    """Whether it was only looked at."""


@verb(
    "position.remove",
    "write",
    for_=STAFF,
    touches=directed("position_id", "seat"),
    undo="exact",
    invariant=in_order,
    emits="position.removed",
    preview="preview",
    examples=[{"position_id": 1, "preview": True}],
    text="hq.org.yaml_text:preview",
)
async def remove(tx: Tx, args: PositionRemoveArgs) -> PositionRemoved:
    """Remove a seat; what hangs on it has to be let go with a flag, never by itself."""
    if not args.preview:
        await lock(tx)
    chart, seat = await find_seat(tx, args.position_id)
    agents = (await working_in(tx, chart)).get(seat.id, [])
    reports = chart.reports(seat)
    escalating = [each for each in chart.seats.values() if each.escalates_to == seat.id]
    told = PositionRemoved(
        position_id=args.position_id,
        slug=seat.position.slug,
        title=seat.title,
        reports=[each.title for each in reports],
        escalations=[each.title for each in escalating],
        persona_slug=seat.holding.persona.slug if seat.holding else None,
        agents=[agent.slug for agent in agents],
    )
    if args.preview:
        return told.model_copy(update={"preview": True})
    if (reports or escalating) and not args.reparent:
        names = ", ".join(sorted({*told.reports, *told.escalations}))
        raise Refused.conflict(f"{names} report or escalate to {seat.title}", hint="--reparent moves them one seat up")
    if seat.holding and not args.unassign:
        raise Refused.conflict(f"{seat.holding.persona.slug} sits in {seat.title}", hint="--unassign ends that first")
    await _reparent(tx, chart, seat, reports, escalating)
    if seat.holding:
        await leave_seat(tx, seat.holding, "the seat was removed")
    for edge in ("reports_to", "escalates_to"):
        await end_line(tx, seat.position, edge)
    tx.target = await tx.archive(seat.position)
    return told


async def _reparent(tx: Tx, chart: Chart, seat: Seat, reports: list[Seat], escalating: list[Seat]) -> None:
    above = chart.seats.get(seat.reports_to) if seat.reports_to else None
    beyond = chart.seats.get(seat.escalates_to) if seat.escalates_to else None
    moved = {each.id: each.place for each in (*reports, *escalating)}
    for each in reports:
        moved[each.id] = replace(moved[each.id], reports_to=above.id if above else None)
    for each in escalating:
        # Who would escalate to itself, or to somebody below, goes to the founder instead.
        moved[each.id] = replace(moved[each.id], escalates_to=beyond.id if beyond and beyond is not each else None)
    rest = {place.id: place for place in chart.places if place.id != seat.id} | moved
    wrong = {flaw.id for flaw in flaws(list(rest.values())) if flaw.field == "escalates_to"}
    check(
        chart,
        *(replace(place, escalates_to=None) if place.id in wrong else place for place in moved.values()),
        without=seat.id,
    )
    for each in reports:
        await draw(tx, each.position, "reports_to", above)
    for each in escalating:
        target = None if each.id in wrong or beyond is each else beyond
        await draw(tx, each.position, "escalates_to", target)


VERBS = (remove,)
