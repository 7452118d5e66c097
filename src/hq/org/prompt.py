"""The prompt's part on the organisation: the agent's seat, and the intent that decides when two good things pull
apart."""

from __future__ import annotations

from typing import Any

from hq.door.tx import Tx
from hq.graph.records import Stored
from hq.minds.prompt_data import one_line
from hq.org.chart import Chart, Seat, load
from hq.org.checks import above
from hq.org.content import intent_of
from hq.org.intent import HEADINGS
from hq.org.seats import organisations_of, seat_of
from hq.org.types import Organisation, OrgIntent


async def organisation_section(tx: Tx, agent: Stored[Any]) -> str:
    """A section for the agent's context, or nothing for an agent of no organisation."""
    seat, home = await seat_of(tx, agent), (await organisations_of(tx, [agent])).get(agent.id)
    if home is None:
        return ""
    chart = await load(tx, await tx.get(home, Organisation))
    org = chart.organisation.props
    lines = [f"## Your organisation: {one_line(org.name)}", *([one_line(org.description)] if org.description else [])]
    if seat is not None and seat in chart.seats:
        lines += _place(chart, chart.seats[seat])
    return "\n".join([*lines, *_intent((await intent_of(tx, chart.organisation)).lists)])


def _place(chart: Chart, seat: Seat) -> list[str]:
    by_id = {place.id: place for place in chart.places}
    up = [*(each.title for each in above(by_id, seat.place)), "the founder"]
    to = [*(each.title for each in above(by_id, seat.place, "escalates_to")), "the founder"]
    below = [each.title for each in chart.reports(seat)]
    return [
        one_line(f"You sit in the seat {seat.title}. You report to {up[0]}, and escalate to {to[0]}."),
        *([one_line(f"To you report: {', '.join(below)}.")] if below else []),
    ]


def _intent(intent: OrgIntent) -> list[str]:
    return [
        line
        for name, title in HEADINGS.items()
        if (items := getattr(intent, name))
        for line in (f"### {title}", *(f"- {one_line(item)}" for item in items))
    ]
