"""The route of an escalation: up the seats one escalates to, past those where nobody is, then the CEO, then the
founder."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from hq.door.tx import Tx
from hq.graph.records import End, Stored
from hq.graph.view import NodeFilter
from hq.org.agent import Agent
from hq.org.chart import load
from hq.org.seats import agents_in, seat_of
from hq.org.types import Organisation


@dataclass(frozen=True)
class EscalationStop:
    """Who is asked next. Nobody is the founder of a company without one."""

    to: End | None
    passed: tuple[str, ...]
    """Titles of seats on the way in which nobody works."""

    @property
    def agent(self) -> Stored[Agent] | None:
        return self.to if isinstance(self.to, Stored) and isinstance(self.to.props, Agent) else None


async def next_above(tx: Tx, agent: Stored[Agent], asked: frozenset[UUID] = frozenset()) -> EscalationStop:
    """Who stands above an agent and was not asked yet."""
    passed: list[str] = []
    working = await agents_in(tx)
    for seat, title in await _line(tx, agent):
        there = [each for each in working.get(seat, []) if each.props.status == "active"]
        if not there:
            passed.append(title)
        elif (other := there[0]).id != agent.id and other.id not in asked:
            return EscalationStop(other, tuple(passed))
    ceos = [each for each in await tx.find(NodeFilter(types=[Agent.type], status="active", limit=500)) if _leads(each)]
    for ceo in sorted(ceos, key=lambda each: each.created_at):
        if ceo.id != agent.id and ceo.id not in asked and agent.props.kind != "ceo":
            return EscalationStop(ceo, tuple(passed))
    return EscalationStop(await tx.founder(), tuple(passed))


async def _line(tx: Tx, agent: Stored[Agent]) -> list[tuple[UUID, str]]:
    """The seats above the agent's own: where it escalates to, and where that is not said, whom it reports to."""
    seat = await seat_of(tx, agent)
    home = (await tx.targets([seat], ["in_organisation"])).get((seat, "in_organisation")) if seat else None
    if seat is None or home is None:
        return []
    chart = await load(tx, await tx.get(home, Organisation))
    line: list[tuple[UUID, str]] = []
    seen, at = {seat}, chart.seats.get(seat)
    while at is not None:
        up = at.escalates_to or at.reports_to
        at = chart.seats.get(up) if up and up not in seen else None
        if at is not None:
            seen.add(at.id)
            line.append((at.id, at.title))
    return line


def _leads(agent: Stored[Agent]) -> bool:
    return agent.props.kind == "ceo"
