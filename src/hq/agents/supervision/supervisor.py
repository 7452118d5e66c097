"""The supervisor put together: what the house does by itself, and a verb that shows what it did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hq.agents.handoff.tending import TendHandoffs
from hq.agents.supervision.beating import BeatAgents
from hq.agents.supervision.companies import Companies
from hq.agents.supervision.nightly import RotateSessions, TendMemory
from hq.agents.supervision.reloading import LoadAgents
from hq.agents.supervision.router import ROOM, TOGETHER, RouteEvents
from hq.agents.watchdog import Watchdog
from hq.agents.workers.upkeep import KeepArtifacts
from hq.database.queries import beside
from hq.door.access import EVERYONE
from hq.door.door import Door
from hq.door.results import Listing
from hq.door.tx import Tx
from hq.door.verb import Args, verb
from hq.engine.overseer import Chore

SQL = beside(__file__)
KINDS = (LoadAgents, RouteEvents, BeatAgents, Watchdog, RotateSessions, TendMemory, KeepArtifacts, TendHandoffs)


@dataclass(frozen=True)
class Household:
    """What other rooms have the overseer do beside the agents' own duties; handed over at composition."""

    kinds: tuple[Any, ...] = ()


def chores(door: Door, *, together: int = TOGETHER, room: int = ROOM) -> list[Chore]:
    """What the overseer has done, in order. `together` agents of a company at once; `room` is in bytes."""
    companies = Companies(door)
    return [
        LoadAgents(companies),
        RouteEvents(companies, together=together, room=room),
        BeatAgents(companies, together=together, room=room),
        Watchdog(companies),
        RotateSessions(companies),
        TendMemory(companies),
        KeepArtifacts(companies),
        TendHandoffs(companies),
        *(kind(companies) for kind in door.services[Household].kinds),
    ]


class ListDuties(Args):
    """Nothing to choose."""


@verb("duty.list", "read", for_=EVERYONE, past=False, examples=[{}])
async def list_(tx: Tx, args: ListDuties) -> Listing:
    """What the house does by itself, and what each duty did here last."""
    known = {row.name: row for row in await tx.rows(SQL["duties"])}
    items = []
    for kind in (*KINDS, *tx.use(Household).kinds):
        row = known.get(kind.name)
        items.append(
            {
                "duty": kind.name,
                "says": kind.says,
                "last": row.ran_at.isoformat() if row and row.ran_at else None,
                "did": row.did if row else None,
                "failed": row.failed if row else None,
            }
        )
    return Listing(items=items)


VERBS = (list_,)
