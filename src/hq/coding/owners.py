"""Owners of coding runs: those of the workspace that they work in; and for whom one works."""

from __future__ import annotations

from hq.coding.types import CodeRun
from hq.door.access import Owner
from hq.door.tx import Tx
from hq.workspace.owners import owner_of_workspace


async def owner_of_code_run(tx: Tx, ref: str) -> Owner | None:
    run = await tx.look_up(ref, CodeRun)
    links = await tx.links(run, edge="in_workspace") if run else []
    return await owner_of_workspace(tx, str(links[0].other_id)) if links else None


async def requester_of_code_run(tx: Tx, ref: str) -> Owner | None:
    """Whom it works for: it goes on in that one's name, with that one's budget."""
    run = await tx.look_up(ref, CodeRun)
    if run is None:
        return None
    requester = (run.props.requester or "").partition("/")[0]
    why = f"{run.slug} works for {requester or 'the founder'}, and goes on for nobody else"
    return Owner(run.slug, actors=frozenset(filter(None, (requester,))), why=why)
