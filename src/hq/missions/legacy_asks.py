"""Plans, other terms and requests for help that an older hq left waiting without an ask: each gets one, once."""

from __future__ import annotations

from hq.door.access import HOUSE
from hq.door.results import Row, row
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, first, verb
from hq.errors import Refused
from hq.missions.acceptance import ask_terms
from hq.missions.delegation.verbs import ask_help
from hq.missions.parties import parties
from hq.missions.plan import ask_plan
from hq.missions.types import Delegation, Mission


class Unasked(Args):
    """Which one."""

    ref: Ref = first()
    """Slug or id of the mission or the delegation."""


@verb("mission.ask", "write", for_=HOUSE, internal=True, target="ref")
async def ask(tx: Tx, args: Unasked) -> Row:
    """Lay before whoever decides what a mission or a delegation waits for."""
    node = await tx.get(args.ref)
    match node.props:
        case Delegation(status="requested"):
            made = await ask_help(tx, await tx.get(node.id, Delegation))
        case Mission(status="planning") | Mission(status="assigned"):
            who = await parties(tx, node.id)
            made = await (ask_plan(tx, who) if node.status == "planning" else ask_terms(tx, who))
        case _:
            raise Refused.conflict(f"{node.slug} waits for nobody's word")
    tx.target = made
    return row(made)


VERBS = (ask,)
