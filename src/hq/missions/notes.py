"""Notes of a mission, with who wrote them: notes, decisions, blockers, findings, questions (seed 000 D)."""

from __future__ import annotations

from typing import Literal

from hq.door.access import STAFF, Touch
from hq.door.results import Row, row
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, first, verb
from hq.graph.records import Stored
from hq.graph.store import NewLink
from hq.missions.parties import author, caller_node
from hq.missions.types import Mission, MissionMemory

Kind = Literal["note", "decision", "blocker", "finding", "question"]


class MissionNoteArgs(Args):
    """What to keep, and of which mission."""

    ref: Ref = first()
    """Slug of the mission."""
    content: str = first(min_length=1, max_length=20_000)
    """What was learned."""
    kind: Kind = "note"
    """What sort of memory it is."""


@verb(
    "mission.note",
    "write",
    for_=STAFF,
    touches=Touch("ref", "party", agent="led"),
    undo="exact",
    emits="mission.noted",
    examples=[{"ref": "flight-tracker", "content": "The founder flies a Cessna 172.", "kind": "finding"}],
    text="noted {slug}",
)
async def note(tx: Tx, args: MissionNoteArgs) -> Row:
    """Keep something learned during a mission, for whoever works on it later."""
    mission = await tx.get(args.ref, Mission)
    tx.target = made = await remember(tx, mission, args.content, args.kind)
    return row(made)


async def remember(tx: Tx, mission: Stored[Mission], content: str, kind: Kind) -> Stored[MissionMemory]:
    links = [NewLink("for_mission", mission)]
    if (who := await caller_node(tx)) is not None:
        links.append(NewLink("authored_by", who))
    return await tx.create(MissionMemory(content=content, kind=kind, author=author(tx)), links=links)


VERBS = (note,)
