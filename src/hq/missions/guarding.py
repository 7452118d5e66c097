"""Guards of work, at the door: its lines are drawn by its own verbs, and giving much money out is asked about."""

from __future__ import annotations

from typing import Any

from hq.asks.types import ASKS
from hq.door.tx import Tx
from hq.door.verb import Verb
from hq.errors import Refused
from hq.missions.briefs.risks import assigning
from hq.missions.parties import parties
from hq.missions.types import Mission

LINKING = ("graph.link", "graph.unlink")
KEPT = {
    "mission": ("assigned_to", "commanded_by", "parent_mission", "fulfilled_by"),
    "brief": ("assigned_to", "for_mission"),
    "delegation": ("for_mission", "parent_brief", "child_brief", "delegated_to", "requested_by"),
    **{ask.type: ("addressed_to", "requested_by", "resolved_by") for ask in ASKS},
}
"""By what a link comes from, the links on which decisions rest: who decides, who is paid for by whom, what proves what."""


PUT_AWAY = ("mission.archive", "mission.restore")
AT_WORK = ("assigned", "planning", "in_progress", "review")


class WorkPolicy:
    """The policy for the door."""

    async def judge(self, tx: Tx, verb: Verb, args: Any) -> str | None:
        if verb.name in PUT_AWAY:
            await _check_put_away(tx, verb, args.ref)
        if verb.name in LINKING:
            source = await tx.look_up(args.source)
            if source is not None and args.edge in KEPT.get(source.type, ()):
                raise Refused.forbidden(
                    f"{args.edge} of a {source.type} follows from what happens to it; `hq {source.type} --help` lists what can"
                )
        if verb.name == "mission.assign" and not tx.caller.human:
            mission = await tx.look_up(args.ref, Mission)
            return await assigning(tx, mission) if mission is not None else None
        return None


async def _check_put_away(tx: Tx, verb: Verb, ref: str) -> None:
    """Work is not got rid of by hiding it: not by others than who gave it, and not while somebody is at it."""
    if await tx.look_up(ref, Mission) is None:
        return  # the verb says better what is wrong
    target = tx.target
    who = await parties(tx, ref)
    tx.target = target
    if verb.name == "mission.archive" and who.mission.status in AT_WORK:
        raise Refused.conflict(
            f"{who.mission.slug} is {who.mission.status}",
            hint=f"`hq mission fail {who.mission.slug}` gives it up, with its sessions; then it can be put away",
        )
