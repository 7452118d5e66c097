"""Owners of coding runs: those of the workspace that they work in."""

from __future__ import annotations

from hq.coding.types import CodeRun
from hq.door.access import Owner
from hq.door.tx import Tx
from hq.workspace.owners import owner_of_workspace


async def owner_of_code_run(tx: Tx, ref: str) -> Owner | None:
    run = await tx.look_up(ref, CodeRun)
    links = await tx.links(run, edge="in_workspace") if run else []
    return await owner_of_workspace(tx, str(links[0].other_id)) if links else None
