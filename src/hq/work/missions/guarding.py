"""What holds for work at the door: its lines are drawn by its own verbs, and giving much money out is asked about."""

from __future__ import annotations

from typing import Any

from hq.door.tx import Tx
from hq.door.verb import Verb
from hq.errors import Refused
from hq.work.briefs.risks import assigning
from hq.work.types import Mission

LINKING = ("graph.link", "graph.unlink")
KEPT = {
    "mission": ("assigned_to", "commanded_by", "parent_mission", "fulfilled_by"),
    "brief": ("assigned_to", "for_mission"),
    "delegation": ("for_mission", "parent_brief", "child_brief", "delegated_to", "requested_by"),
    "escalation": ("addressed_to", "requested_by", "resolved_by"),
}
"""By what a link comes from, the links on which decisions rest: who decides, who is paid for by whom, what proves what."""


class WorkPolicy:
    """The policy for the door."""

    async def judge(self, tx: Tx, verb: Verb, args: Any) -> str | None:
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
