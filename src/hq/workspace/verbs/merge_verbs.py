"""`hq workspace merge`: what a session did on its tree is merged into the mission's files by a call.

That call is the action by which they change: it can be looked at, explained and taken back.
"""

from __future__ import annotations

from typing import Any

from hq.door.access import CREW, Touch
from hq.door.tx import Tx
from hq.door.verb import Result, verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.workspace.clean_content import mark_names
from hq.workspace.lineage import accepted, kept_from, missions_of, sealed
from hq.workspace.own_tree import save_own
from hq.workspace.snapshots.changes import changes
from hq.workspace.snapshots.entries import printable
from hq.workspace.snapshots.merge import Side, merge
from hq.workspace.snapshots.threads import in_thread
from hq.workspace.types import Workspace
from hq.workspace.verbs.tree_verbs import OPENED_TREE, SHOWN, SessionTreeArgs, session_of, tree_of
from hq.workspace.verbs.workspace_verbs import SQL, company, held, inside, locked, usable

NAMES = {"review": "handed in", "failed": "given up"}


class WorkspaceMergeArgs(SessionTreeArgs):
    prefer: Side | None = None
    """Whose version to take where both changed the same file; left out, that is refused."""


class WorkspaceChanged(Result):
    slug: str
    session: str | None = None
    snapshot: str
    """What the workspace holds now."""
    before: str
    """What it held before."""
    changes: int
    message: str


@verb(
    "workspace.merge",
    "write",
    shows=("prefer",),
    for_=CREW,
    touches=(Touch("ref", "workspace", agent="mission", ceo="mission", project="own"), OPENED_TREE),
    undo="compensating",
    undo_by=lambda _input, output: (
        "workspace.revert",
        {"ref": output["slug"], "snapshot": output["before"], "expect": output["snapshot"]},
    ),
    emits="workspace.merged",
    target="ref",
    examples=[{"ref": "app1", "session": "first"}],
)
async def merge_(tx: Tx, args: WorkspaceMergeArgs) -> WorkspaceChanged:
    """Take over into the mission's files what a session saved, of your own all that is in its tree. Files that both changed are
    refused, and named."""
    workspace, session = await locked(tx, await usable(tx, args.ref)), session_of(tx, args)
    tx.target = workspace
    if (last := await kept_from(tx, workspace)) is not None:
        raise Refused.conflict(
            f"{last.slug} is {NAMES.get(str(last.status), last.status)}: {workspace.slug} stays as it was handed in; nothing was merged",
            hint=f'`hq mission change {last.slug} "…"` goes on with it',
        )
    if (
        session == str(tx.call.session_id) and not tx.caller.project
    ):  # what was reviewed for a project is what was saved
        await save_own(tx, workspace)
    tree = await tree_of(tx, workspace, session)
    if tree.saved is None:
        raise Refused.conflict(f"{session} has saved nothing yet; `hq workspace save` does")
    here, before = company(tx), held(workspace)
    merged = await in_thread(merge, here.blobs, tree.base, before, tree.saved, args.prefer)
    if merged.conflicts:
        await mark_names(tx, {f"workspace:{workspace.slug}"}, merged.conflicts[:SHOWN])
        named = [printable(path) for path in merged.conflicts[:SHOWN]]
        raise Refused.conflict(
            f"{', '.join(named[:5])}{' and others' if len(named) > 5 else ''} changed both in {workspace.slug} and in "
            f"{session}; nothing was merged",
            hint=f"make your version the one you want, then `hq workspace merge {workspace.slug} --prefer session`; "
            "--prefer mission keeps theirs",
            conflicts=named,
        )
    await tx.conn.execute(
        SQL["merge_tree"],
        {"workspace": workspace.id, "session": session, "snapshot": tree.saved, "now": tx.now},
    )
    return await advance(tx, workspace, merged.snapshot, session=session)


async def advance(tx: Tx, workspace: Stored[Workspace], snapshot: str, session: str | None = None) -> WorkspaceChanged:
    """From now on the workspace holds another snapshot; its directory follows once that is committed."""
    before = held(workspace)
    line = await missions_of(tx, workspace) if snapshot != before else []
    if line and (last := sealed(line)) and (counts := last if _waits(last) else accepted(line)):
        await tx.change(counts, {"brought": snapshot})  # what people bring there, or have brought, is what counts
    count = len(await in_thread(changes, company(tx).blobs, before, snapshot))
    if snapshot != before:
        tx.target = await tx.change(workspace, {"snapshot": snapshot})
        tx.follow_ups.append(inside(tx, "workspace.open", {"ref": str(workspace.id)}))
    said = f"{count} {'file' if count == 1 else 'files'} changed" if count else "nothing to change"
    return WorkspaceChanged(
        slug=workspace.slug,
        session=session,
        snapshot=snapshot,
        before=before,
        changes=count,
        message=f"{workspace.slug}: {said}",
    )


def _waits(mission: Stored[Any]) -> bool:
    """Whether it was handed in, and nobody has said yet what comes of that."""
    return mission.status == "review" and mission.props.brought is not None


VERBS = (merge_,)
