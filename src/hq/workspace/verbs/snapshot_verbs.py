"""`hq workspace open|take|revert|export|prune`: bring a snapshot to where it is wanted, and let go of old ones."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path

from pydantic import Field

from hq.door.access import CREW, FOUNDER, Touch, at_home
from hq.door.tx import Tx
from hq.door.verb import Args, Result, verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.workspace.clean_content import mark_names
from hq.workspace.directories import TenantDirectories
from hq.workspace.snapshots.archive import Form, write_archive
from hq.workspace.snapshots.entries import printable
from hq.workspace.snapshots.merge import merge
from hq.workspace.snapshots.threads import in_thread
from hq.workspace.types import Workspace
from hq.workspace.verbs.diff_verbs import HASH, check_own
from hq.workspace.verbs.merge_verbs import WorkspaceChanged, advance
from hq.workspace.verbs.tree_verbs import TreeMetadata, metadata
from hq.workspace.verbs.workspace_verbs import SQL, WorkspaceRefArgs, company, held, inside, locked, usable


@dataclass(frozen=True)
class PreparedSnapshot:
    workspace: Stored[Workspace]
    metadata: TreeMetadata


async def _ready(tx: Tx, args: WorkspaceRefArgs) -> PreparedSnapshot:
    workspace = await tx.get(args.ref, Workspace)
    if workspace.status == "deleted":
        raise Refused.conflict(f"{workspace.slug} was deleted", hint="`hq undo` of its deletion brings it back")
    return PreparedSnapshot(workspace, await metadata(tx, workspace))


LOOKED_AT = (Touch("ref", "tree", agent="tenant", project="own"), at_home())


class WorkspaceOpened(Result):
    slug: str
    path: str
    """Where its files are on this machine."""
    current: bool
    """Whether they are what was last merged."""
    unsaved: list[str] = Field(default_factory=list)
    """What was changed there by hand; `hq workspace take` takes it over."""


@verb(
    "workspace.open",
    "effect",
    for_=CREW,
    touches=LOOKED_AT,
    scope="write",
    target="ref",
    prepare=_ready,
    examples=[{"ref": "app1"}],
    text="hq.workspace.workspace_text:opened",
)
async def open_(tx: Tx, args: WorkspaceRefArgs) -> WorkspaceOpened:
    """Bring a workspace's directory up to date, and say where it is. What was changed there by hand is never overwritten."""
    ready: PreparedSnapshot = tx.prepared
    workspace = ready.workspace
    tx.target = workspace
    opened = await in_thread(company(tx).open, workspace.id, workspace.props, held(workspace), ready.metadata)
    unsaved = [each.path for each in opened.unsaved[:200]]
    tx.on_recorded.append(partial(mark_names, marks={f"workspace:{workspace.slug}"}, paths=unsaved))
    return WorkspaceOpened(
        slug=workspace.slug,
        path=str(opened.path),
        current=opened.current,
        unsaved=list(map(printable, unsaved)),
    )


async def _to_take(tx: Tx, args: WorkspaceRefArgs) -> Stored[Workspace]:
    return await usable(tx, args.ref)


class WorkspaceTaken(Result):
    slug: str
    snapshot: str


@verb(
    "workspace.take",
    "effect",
    for_=CREW,
    touches=Touch("ref", "kept_files", agent="mission", ceo="mission", project="own"),
    scope="write",
    target="ref",
    prepare=_to_take,
    examples=[{"ref": "app1"}],
)
async def take(tx: Tx, args: WorkspaceRefArgs) -> WorkspaceTaken:
    """Take over what was changed by hand in a workspace's directory, as a change like any other."""
    workspace: Stored[Workspace] = tx.prepared
    tx.target = workspace
    here = company(tx)
    taken = await in_thread(here.look, workspace.id, workspace.props)
    base = await in_thread(here.placed, workspace.props)
    merged = await in_thread(merge, here.blobs, base, held(workspace), taken.snapshot)
    if merged.conflicts:
        tx.taint.add(f"workspace:{workspace.slug}")  # what a hand put there is from outside, also its name
        named = [printable(path) for path in merged.conflicts]
        raise Refused.conflict(
            f"{', '.join(named[:5])} changed both by hand and by a merge", conflicts=named,
            hint="make them the same as one of the two, then try again",
        )  # fmt: skip
    brought = {"ref": str(workspace.id), "snapshot": merged.snapshot, "expect": held(workspace)}
    tx.follow_ups.append(inside(tx, "workspace.revert", brought))
    return WorkspaceTaken(slug=workspace.slug, snapshot=merged.snapshot)


class WorkspaceRevertArgs(WorkspaceRefArgs):
    snapshot: str = Field(pattern=HASH)
    """What it is to hold, of what it has held."""
    expect: str | None = Field(None, pattern=HASH)
    """Only if it holds this now."""


@verb(
    "workspace.revert",
    "write",
    for_=CREW,
    touches=Touch("ref", "kept_files", agent="mission", ceo="mission", project="own"),
    undo="compensating",
    undo_by=lambda _input, output: (
        "workspace.revert",
        {"ref": output["slug"], "snapshot": output["before"], "expect": output["snapshot"]},
    ),
    emits="workspace.reverted",
    target="ref",
    examples=[{"ref": "app1", "snapshot": hashlib.sha256(b"[]").hexdigest()}],
)
async def revert(tx: Tx, args: WorkspaceRevertArgs) -> WorkspaceChanged:
    """Bring a workspace's files back to a snapshot."""
    workspace = await locked(tx, await usable(tx, args.ref))
    tx.target = workspace
    if args.expect is not None and held(workspace) != args.expect:
        raise Refused(
            f"{workspace.slug} changed since; take those changes back first, or revert to a snapshot by name",
            code="blocked",
            hint=f"`hq workspace history {workspace.slug}` shows them",
        )
    await check_own(tx, workspace, args.snapshot)
    if not company(tx).blobs.has(args.snapshot):
        raise Refused.not_found(f"the snapshot {args.snapshot[:12]} is no longer kept")
    return await advance(tx, workspace, args.snapshot)


class WorkspaceExported(Result):
    slug: str
    path: str
    """The archive, on this machine."""
    files: int
    size: int
    sha256: str
    left_out: list[str] = Field(default_factory=list)
    """Links that lead out of the files; the archive says so too."""


class WorkspaceExportArgs(WorkspaceRefArgs):
    form: Form = "tar.gz"
    """What sort of archive: tar.gz or zip."""


@verb(
    "workspace.export",
    "effect",
    for_=CREW,
    touches=LOOKED_AT,
    scope="write",
    target="ref",
    prepare=_ready,
    examples=[{"ref": "app1"}],
    text="hq.workspace.workspace_text:exported",
)
async def export(tx: Tx, args: WorkspaceExportArgs) -> WorkspaceExported:
    """Write a workspace's files as they were last merged into an archive; the same files give the same archive."""
    workspace: Stored[Workspace] = tx.prepared.workspace
    tx.target = workspace
    return await in_thread(archived, company(tx), workspace.slug, held(workspace), args.form)


def archived(here: TenantDirectories, name: str, snapshot: str, form: Form) -> WorkspaceExported:
    directory = here.root / "exports"
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = directory / f"{name}-{snapshot[:12]}.{form}"
    count, left_out = write_archive(path, here.blobs, snapshot, name, form)
    return WorkspaceExported(
        slug=name,
        path=str(path),
        files=count,
        size=path.stat().st_size,
        sha256=_sum(path),
        left_out=left_out,
    )


def _sum(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class WorkspacePruneArgs(Args):
    """What to let go of."""

    days: int = Field(90, ge=1, le=36500)
    """Snapshots that no workspace has held for so long."""


class Pruned(Result):
    removed: int
    bytes: int
    message: str


async def _wanted(tx: Tx, args: WorkspacePruneArgs) -> list[str]:
    snapshots = await tx.scalars(SQL["wanted_snapshots"], {"since": tx.now - timedelta(days=args.days)}, of=str)
    return [snapshot for snapshot in snapshots if snapshot]


@verb("workspace.prune", "effect", for_=FOUNDER, scope="founder", gate="destructive", prepare=_wanted, examples=[{}])
async def prune(tx: Tx, args: WorkspacePruneArgs) -> Pruned:
    """Free the disk of snapshots that nothing has held for a while. Changes older than that can then not be undone."""
    removed, size = await in_thread(company(tx).prune, tx.prepared)
    return Pruned(removed=removed, bytes=size, message=f"removed {removed} pieces, {size / 1e6:.1f} MB")


VERBS = (open_, take, revert, export, prune)
