"""Authority of a seat: who directs the organisation, and when everything stops.

Agents' changes of the organisation wait for the AR Director's seat, or for the founder (seed 003 §1.1). The value below
which a seat stops is a property of the position (§8.2), so an organisation of any kind has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from hq.database.queries import beside
from hq.door.access import Touch
from hq.door.tx import Tx
from hq.door.verb import Verb
from hq.errors import Refused
from hq.org.rows import SittingRow
from hq.org.types import Position

SQL = beside(__file__)
DIRECTOR = "ar-director"


@dataclass(frozen=True)
class Sitting:
    """A seat of the agent that calls."""

    position: UUID
    slug: str
    limits: Position
    role: str | None
    organisation: UUID | None
    value: float | None

    @property
    def directs(self) -> bool:
        return self.role == DIRECTOR

    @property
    def must_stop(self) -> bool:
        floor = self.limits.hard_stop_below
        return floor is not None and self.value is not None and self.value < floor


async def sitting(tx: Tx, agent: str | None = None) -> list[Sitting]:
    """The seats of the agent that calls by itself, or of the one that is named; first the one it was given last."""
    name = agent or tx.caller.agent_itself
    rows = await tx.rows(SQL["sitting"], {"agent": name}, into=SittingRow) if name else []
    return [Sitting(r.position, r.slug, r.props, r.role, r.organisation, r.value) for r in rows]


async def kept_to(tx: Tx, agent: str | None) -> frozenset[UUID]:
    """The organisations that an agent keeps to; none for who serves them all, and who works in none in particular."""
    return frozenset(await tx.scalars(SQL["kept_to"], {"agent": agent}, of=UUID)) if agent else frozenset()


async def serves_all(tx: Tx, agent: str | None) -> bool:
    """Whether an agent serves all organisations, and its workers with it: the CEO and the operator do."""
    return agent is not None and await tx.the_scalar(SQL["serves_all"], {"agent": agent}, of=bool)


def directed(arg: str, noun: str, **more: Any) -> Touch:
    """What is the AR Director's to change, from its seat: everybody else's change waits for that seat, or for the founder."""
    return Touch(arg, noun, agent="own", ceo="own", operator="own", in_person=True, beyond="ask", **more)


class SeatStopPolicy:
    """A policy for the door: a seat stops below the value that was set for it, and what it does not stop at is to speak
    up. It asks the database each time: a limit that was just lowered holds for the next call."""

    async def judge(self, tx: Tx, verb: Verb, args: Any) -> str | None:
        if not verb.changes or verb.internal or verb.speaks or tx.caller.agent is None:
            return None
        seats = await sitting(tx, tx.caller.agent)  # a worker stops with its agent's seat
        if seat := next((each for each in seats if each.must_stop), None):
            raise Refused(
                f"{seat.limits.title} has to stop: what it manages is worth {seat.value:g} {seat.limits.currency}, "
                f"below its hard stop of {seat.limits.hard_stop_below:g}",
                code="hard_stop",
                hint="escalate to the seat above; the founder or that seat decides how it goes on",
            )
        return None
