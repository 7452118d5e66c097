"""Owners of workspaces: who takes part in the mission whose files they hold, else who made them."""

from __future__ import annotations

from dataclasses import replace

from hq.door.access import Owner
from hq.door.tx import Tx
from hq.workspace.types import Workspace
from hq.workspace.verbs.rows import WorkspacePartyRow
from hq.workspace.verbs.workspace_verbs import SQL


async def owner_of_workspace(tx: Tx, ref: str) -> Owner | None:
    """For what lasts: a merge counts for everybody who works there."""
    workspace = await tx.look_up(ref.rstrip("/").rpartition("/")[2], Workspace)
    if workspace is None:
        return None
    values = {"workspace": workspace.id, "agent": tx.caller.agent, "session": tx.call.session_id}
    row = await tx.the_one(SQL["works_in"], values, into=WorkspacePartyRow)
    name = f"the mission {row.mission}" if row.mission else row.maker or "the founder"
    made = frozenset((row.maker,)) if row.maker and not row.mission else frozenset[str]()
    return Owner(name, made, mission=row.party or row.sent)


async def owner_of_tree(tx: Tx, ref: str) -> Owner | None:
    """For a copy to work on: in files of no mission everybody may have one."""
    owner = await owner_of_workspace(tx, ref)
    return replace(owner, shared=not owner.name.startswith("the mission ")) if owner else None
