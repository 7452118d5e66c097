"""`hq mission close`: a mission whose parts are over is closed by who leads, in one call."""

from __future__ import annotations

from dataclasses import replace

from pydantic import Field

from hq.door.access import LEADERS, Touch
from hq.door.results import Row, row
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, first, verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.missions.checks import read_check
from hq.missions.completion import end, of_parts, parts_of
from hq.missions.evidence import CheckOutcomeArgs, keep
from hq.missions.life import OVER
from hq.missions.parties import check_open, parties
from hq.missions.progress import evidence_of
from hq.missions.suspension import stop_sessions
from hq.missions.types import Mission

TO_REVIEW = {
    "backlog": ("planning", "in_progress", "review"),
    "planning": ("in_progress", "review"),
    "assigned": ("in_progress", "review"),
    "in_progress": ("review",),
    "paused": ("review",),
    "review": (),
}
"""The states on the way from each to the one from which a mission closes."""


class MissionCloseArgs(Args):
    """Which mission."""

    ref: Ref = first()
    """Slug of the mission."""
    outcome: str | None = Field(None, max_length=10_000)
    """What came of it all; left out, its parts are named."""


@verb(
    "mission.close",
    "write",
    on_card=True,
    for_=LEADERS,
    touches=Touch("ref", "mission", operator="own", bars=True),
    emits="mission.closed",
    target="ref",
    examples=[{"ref": "flight-tracker", "outcome": "Both halves are there."}],
)
async def close(tx: Tx, args: MissionCloseArgs) -> Row:
    """Close a mission whose parts are over: their evidence is its own."""
    who = await parties(tx, args.ref)
    check_open(who)
    parts = await _parts(tx, who.mission)
    await _accept(tx, who.mission)
    await stop_sessions(tx, who.mission, f"{who.mission.slug} is closed")
    for step in TO_REVIEW[who.mission.props.status]:
        who = replace(who, mission=await tx.move(who.mission, step))
    closed = await end(tx, who, "done", outcome=args.outcome or of_parts(parts))
    return row(closed)


async def _parts(tx: Tx, mission: Stored[Mission]) -> list[Stored[Mission]]:
    """Its parts, if all of them are over and some are done."""
    parts = await parts_of(tx, mission)
    if not parts:
        raise Refused.conflict(
            f"{mission.slug} has no parts; whoever works on it hands it in",
            hint=f"`hq mission assign {mission.slug}` gives it to one, `hq mission fail {mission.slug}` gives it up",
        )
    if open_ := [each.slug for each in parts if each.status not in OVER]:
        raise Refused.conflict(f"{', '.join(open_[:5])}{' and others' if len(open_) > 5 else ''} are still open")
    if not any(each.status == "done" for each in parts):
        raise Refused.conflict(
            f"all parts of {mission.slug} failed; `hq mission fail {mission.slug}` says so of it too"
        )
    return parts


async def _accept(tx: Tx, mission: Stored[Mission]) -> None:
    """Words are accepted by who closes it; what a machine can look for has to be found by it."""
    found = await evidence_of(tx, mission)
    for each in map(read_check, mission.props.deliverables):
        if each.text in found and found[each.text].status == "accepted":
            continue
        if each.kind != "person":
            raise Refused.conflict(
                f"{each.text} is not there, and {mission.slug} itself has to bring it",
                hint=f"`hq mission check {mission.slug}` looks for it; `hq mission revise {mission.slug}` asks for something else",
            )
        seen = f"yes, {tx.caller.actor}: its parts are done"
        await keep(tx, mission, CheckOutcomeArgs(check=each.text, kind="person", passed=True, seen=seen))


VERBS = (close,)
