"""Authority of a seat, held at the door: who changes the organisation, what is spent, and when everything stops.

Agents' changes of the organisation wait for the AR Director's seat, or for the founder (seed 003 §1.1). What a seat may
spend, and the value below which it stops, are properties of the position (§8.2), so an organisation of any kind has them.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from hq.database.queries import beside
from hq.door.tx import Tx
from hq.door.verb import Verb
from hq.door.verbs.ledger import meant_by
from hq.errors import Refused
from hq.ids import is_id, parse_id
from hq.org.types import Position

SQL = beside(__file__)
DIRECTOR = "ar-director"
GOVERNED = ("org", "role", "position", "persona", "org_intent")
FREE = ("org.decide", "org.measure", "persona.append_experience")
FOUNDING = ("org.create", "org.archive")
"""Whether there is an organisation at all is the founder's to say, also where somebody directs one."""
STILL = (
    "agent",
    "approval",
    "ask",
    "escalation",
    "interaction",
    "message",
    "proposal",
    "question",
    "review",
    "session",
)
"""What a seat that has to stop may still do: speak up."""
ASK = "cross_scope"
LINKING = ("graph.link", "graph.unlink")
KEPT = ("position", "persona", "position_assignment")
STRUCTURE = ("in_organisation", "has_role", "reports_to", "escalates_to", "fills", "held_by")
SITTING = "embodies"


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


def agent_of(actor: str) -> str:
    """`agent:kent/helper` is kent's, and so is `worker:kent`."""
    return actor.partition(":")[2].partition("/")[0]


async def sitting(tx: Tx, kinds: Collection[str] = ("agent",)) -> list[Sitting]:
    """The caller's seats, if it is an agent that has any; first the one it was given last."""
    if tx.caller.kind not in kinds:
        return []
    rows = await tx.rows(SQL["sitting"], {"agent": agent_of(tx.caller.actor)})
    return [
        Sitting(r.position, r.slug, Position.model_validate(r.props), r.role, r.organisation, r.value) for r in rows
    ]


class SeatPolicy:
    """The policy for the door. It asks the database each time: a limit that was just lowered holds for the next call."""

    async def judge(self, tx: Tx, verb: Verb, args: Any) -> str | None:
        if not verb.changes or verb.internal:
            return None
        if verb.name in LINKING:
            await _check_link(tx, args)
        if tx.caller.human:
            return None
        seats = await sitting(tx, ("agent", "worker"))
        if (seat := next((each for each in seats if each.must_stop), None)) and not _speaks(verb):
            raise Refused(
                f"{seat.limits.title} has to stop: what it manages is worth {seat.value:g} {seat.limits.currency}, "
                f"below its hard stop of {seat.limits.hard_stop_below:g}",
                code="hard_stop",
                hint="escalate to the seat above; the founder or that seat decides how it goes on",
            )
        if tx.caller.kind == "worker":
            seats = []  # it stops with its agent's seat, but does not act from it
        if verb.gate == "spend":
            return await self._spending(tx, seats[0] if seats else None, args)
        name = await _undone(tx, args) if verb.name == "action.undo" else verb.name
        if name.partition(".")[0] in GOVERNED and name not in FREE:
            return None if any(each.directs for each in seats) and name not in FOUNDING else ASK
        return None

    async def _spending(self, tx: Tx, seat: Sitting | None, args: Any) -> str | None:
        """Beyond its own authority a seat has to ask, whatever the company's tolerance; without a seat, always."""
        amount, currency = getattr(args, "amount", None), getattr(args, "currency", None)
        if seat is None or amount is None or currency != seat.limits.currency:
            return ASK
        if seat.limits.spend_per_transaction is None or amount > seat.limits.spend_per_transaction:
            return ASK
        if seat.limits.spend_per_session is None:
            return None
        row = await tx.one(
            SQL["spent"],
            {
                "principal": tx.caller.principal_id,
                "session": tx.call.session_id,
                "today": tx.now.replace(hour=0, minute=0, second=0, microsecond=0),
                "verbs": [each.name for each in tx.door.registry if each.gate == "spend"],
                "currency": currency,
            },
        )
        return ASK if float(row.spent) + amount > seat.limits.spend_per_session else None


async def _check_link(tx: Tx, args: Any) -> None:
    """What makes a chart a chart is changed by the verbs that keep it one; who sits where, by nobody's own hand."""
    if args.edge == SITTING and tx.caller.human:
        return
    source = await tx.look_up(args.source)
    if args.edge == SITTING or (args.edge in STRUCTURE and source and source.type in KEPT):
        raise Refused.invalid(
            f"{args.edge} is not linked by hand",
            hint="`hq org position update`, `hq org assign` and `hq agent hire` keep the organisation in order",
        )


async def _undone(tx: Tx, args: Any) -> str:
    """The verb of the call that is to be taken back: that counts as changing it."""
    if args.preview or not is_id(args.id):
        return ""
    return await meant_by(tx, parse_id(args.id)) or ""


def _speaks(verb: Verb) -> bool:
    return verb.name in FREE or (verb.noun in STILL and verb.gate == "internal")


async def check_reach(tx: Tx, organisation: UUID | None) -> None:
    """An AR Director directs its own organisation, not its neighbour's. Who was approved has been looked at already."""
    if tx.caller.human or tx.call.approval_id is not None:
        return
    if not any(seat.directs and seat.organisation == organisation for seat in await sitting(tx)):
        raise Refused(
            f"{tx.caller.actor} does not direct this organisation",
            code="cross_scope_violation",
            hint="send what you would change to the AR Director of that organisation, or to the founder",
        )
