"""Own trees of sessions: what lies in them that is not the mission's yet."""

from __future__ import annotations

from hq.door.tx import Tx
from hq.graph.records import Stored
from hq.workspace.snapshots.changes import changes
from hq.workspace.snapshots.entries import printable
from hq.workspace.snapshots.threads import in_thread
from hq.workspace.types import Workspace
from hq.workspace.verbs.rows import TreeRow
from hq.workspace.verbs.workspace_verbs import SQL, company


async def own_tree(tx: Tx, workspace: Stored[Workspace]) -> TreeRow | None:
    """The tree that the calling session works in there; nothing where it has none."""
    if tx.call.session_id is None:
        return None
    session = str(tx.call.session_id)
    tree = await tx.one(SQL["tree"], {"workspace": workspace.id, "session": session}, into=TreeRow)
    if tree is None or tree.state != "open":
        return None
    return tree if await in_thread(company(tx).tree(workspace.id, session).is_dir) else None


async def unmerged(tx: Tx, workspace: Stored[Workspace]) -> str | None:
    """The snapshot of what the calling session has in its tree and not merged; nothing where there is none of that."""
    if (tree := await own_tree(tx, workspace)) is None:
        return None
    taken = (await in_thread(company(tx).save, workspace.id, tree.session)).snapshot
    return taken if taken != tree.base else None


async def save_own(tx: Tx, workspace: Stored[Workspace]) -> str | None:
    """Keep that as what the session saved last."""
    if taken := await unmerged(tx, workspace):
        values = {"workspace": workspace.id, "session": str(tx.call.session_id), "snapshot": taken, "now": tx.now}
        await tx.conn.execute(SQL["save_tree"], values)
    return taken


async def unmerged_files(tx: Tx, workspace: Stored[Workspace]) -> list[str]:
    """What lies in the working trees of a workspace and is not the mission's yet, each with what was done to it."""
    here, found = company(tx), dict[str, None]()
    for tree in await tx.rows(SQL["trees"], {"workspace": workspace.id, "all": False}, into=TreeRow):
        if await in_thread(here.tree(workspace.id, tree.session).is_dir):
            taken = (await in_thread(here.save, workspace.id, tree.session)).snapshot
            lying = await in_thread(changes, here.blobs, tree.base, taken)
            found |= dict.fromkeys(f"{printable(each.path)} ({each.what})" for each in lying)
    return list(found)
