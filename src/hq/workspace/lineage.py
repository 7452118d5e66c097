"""Lineage of a workspace: the mission its files were made for, and those that go on with that work."""

from __future__ import annotations

from typing import Any

from hq.door.tx import Tx
from hq.graph.records import Stored
from hq.workspace.types import Workspace

LONGEST = 200


async def missions_of(tx: Tx, workspace: Stored[Workspace]) -> list[Stored[Any]]:
    """The first one, then what goes on with it, in the order in which they were made."""
    found = [await tx.get(link.other_id) for link in await tx.links(workspace, edge="for_mission") if link.outward]
    for mission in found:  # it grows while it is gone through
        later = [link.other_id for link in await tx.links(mission, edge="continues") if not link.outward]
        found += [await tx.get(id) for id in later[: LONGEST - len(found)]]
    return [*found[:1], *sorted(found[1:], key=lambda each: each.created_at)]


async def mission_at_work(tx: Tx, workspace: Stored[Workspace]) -> Stored[Any] | None:
    """Whose budget work on these files is: the latest that is not over, else the latest."""
    found = await missions_of(tx, workspace)
    open_ = [each for each in found if not each.over]
    return (open_ or found or [None])[-1]
