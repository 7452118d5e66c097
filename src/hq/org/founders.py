"""Founding: the agents that come with hq take the seats that a new organisation has for them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hq.door.tx import Tx
from hq.graph.records import Stored
from hq.graph.view import NodeFilter
from hq.org.chart import EVERY, Seat, every_seat, lock
from hq.org.personas import add_persona
from hq.org.seats import take_seat

ROLES = {"ceo": "chief-of-staff", "operator": "operations"}
"""The role of the seat that is for the agent of each kind."""


async def seat_founders(tx: Tx, seats: Iterable[Seat] | None = None) -> None:
    """Seat the CEO and the operator, each as long as it is nobody's persona: in these vacant seats, or in any there are."""
    waiting = await _unseated(tx)
    if not waiting:
        return
    await lock(tx)
    if seats is None:
        seats = [seat for chart in (await every_seat(tx)).values() for seat in chart.seats.values()]
    vacant = {seat.role.props.name: seat for seat in reversed(list(seats)) if seat.role and seat.holding is None}
    for kind, agent in waiting.items():
        if seat := vacant.get(ROLES[kind]):
            persona = await add_persona(tx, agent.props.name, ROLES[kind], agent.props.description)
            await take_seat(tx, seat, persona)
            await tx.link(agent, "embodies", persona)


async def _unseated(tx: Tx) -> dict[str, Stored[Any]]:
    """The first agent of each kind, where it embodies nobody yet."""
    agents = [each for each in await tx.find(NodeFilter(types=["agent"], limit=EVERY)) if not each.over]
    agents.sort(key=lambda each: (each.created_at, each.id))
    first = {each.props.kind: each for each in reversed(agents) if each.props.kind in ROLES}
    are = await tx.targets([each.id for each in first.values()], ["embodies"])
    return {kind: agent for kind, agent in first.items() if (agent.id, "embodies") not in are}
