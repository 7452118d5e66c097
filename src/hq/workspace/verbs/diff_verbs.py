"""`hq workspace files|diff`: what is in a workspace, now or at any moment, and what changed."""

from __future__ import annotations

from itertools import islice
from typing import NotRequired, TypedDict
from urllib.parse import quote, unquote

from pydantic import Field

from hq.door.access import STAFF, at_home
from hq.door.json_shape import AsJson
from hq.door.results import Page, page
from hq.door.tx import Tx
from hq.door.verb import Result, verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.sandbox import paths
from hq.workspace.clean_content import hashes_of_changes, is_clean, mark_names
from hq.workspace.directories import EMPTY
from hq.workspace.snapshots.blobs import Blobs
from hq.workspace.snapshots.by_products import is_by_product
from hq.workspace.snapshots.changes import FileChange, changes, patch
from hq.workspace.snapshots.entries import get_entries, printable, walk
from hq.workspace.snapshots.threads import in_thread
from hq.workspace.types import Workspace
from hq.workspace.verbs.rows import TreeRow
from hq.workspace.verbs.workspace_verbs import NAME, SQL, WorkspaceRefArgs, company, held

HASH = r"^[0-9a-f]{64}$"


class WorkspaceFilesArgs(WorkspaceRefArgs):
    path: str = Field("", max_length=4096)
    """Only below this directory."""
    session: str | None = Field(None, pattern=NAME)
    """In what this session last saved, in place of the mission's own files."""
    limit: int = Field(200, ge=1, le=5000)
    """How many at most."""
    after: str | None = Field(None, max_length=4096)
    """The `next` of the page before."""


class FileItem(TypedDict):
    """A file of a snapshot."""

    path: str
    kind: str
    size: int


@verb(
    "workspace.files", "read", shows=("path",), for_=STAFF, touches=at_home(), target="ref", examples=[{"ref": "app1"}]
)
async def files(tx: Tx, args: WorkspaceFilesArgs) -> Page[FileItem]:
    """The files of a workspace as they were last merged, with their sizes; with --at, as they were then."""
    workspace = await tx.get(args.ref, Workspace)
    tx.target = workspace
    snapshot = await _of_session(tx, workspace, args.session) if args.session else (EMPTY, held(workspace))
    shown = await in_thread(listed, company(tx).blobs, snapshot[1], args.path, args.limit, args.after)
    await mark_names(tx, {f"workspace:{workspace.slug}"}, [item["path"] for item in shown.items])
    return shown


def listed(
    blobs: Blobs, snapshot: str, path: str, limit: int, after: str | None, *, by_products: bool = True
) -> Page[FileItem]:
    for name in paths.parts(path):
        entry = get_entries(blobs, snapshot).get(name)
        if entry is None or entry.kind != "directory":
            raise Refused.not_found(f"there is no directory {path!r}")
        snapshot = entry.hash
    prefix = "".join(f"{name}/" for name in paths.parts(path))
    found = walk(blobs, snapshot, prefix, without=None if by_products else is_by_product)
    entries = (each for each in found if each[1].kind != "directory" or each[1].hash == EMPTY)
    if after is not None:
        last = unquote(after, errors="surrogateescape").split("/")
        entries = (each for each in entries if each[0].split("/") > last)
    return page(
        list(islice(entries, limit + 1)),
        limit,
        lambda each: quote(each[0], errors="surrogateescape"),  # a name need not be text
        lambda each: {"path": printable(each[0]), "kind": each[1].kind, "size": each[1].size},
    )


async def _of_session(tx: Tx, workspace: Stored[Workspace], session: str) -> tuple[str, str]:
    """What a session began with and what it last saved."""
    if tx.as_of is not None:
        raise Refused.invalid("working trees have no view of the past; leave --session or --at away")
    tree = await tx.one(SQL["tree"], {"workspace": workspace.id, "session": session}, into=TreeRow)
    if tree is None:
        raise Refused.not_found(f"{workspace.slug} has no session {session!r}; `hq workspace trees` lists them")
    return tree.base, tree.saved or tree.base


class WorkspaceDiffArgs(WorkspaceRefArgs):
    session: str | None = Field(None, pattern=NAME)
    """What this session did and saved since it began or last merged."""
    before: str | None = Field(None, pattern=HASH)
    """From this snapshot of it on; left out, from what there was before the last change."""
    after: str | None = Field(None, pattern=HASH)
    """Up to this snapshot of it; left out, what there is now."""
    patch: bool = False
    """Line by line."""
    limit: int = Field(200, ge=1, le=5000)
    """How many files at most."""


class FileDifference(TypedDict):
    """A file that differs, with its sizes."""

    what: str
    path: str
    before: int | None
    after: int | None
    patch: NotRequired[list[str]]


class Difference(Result):
    slug: str
    before: str
    after: str
    items: AsJson[list[FileDifference]] = Field(default_factory=list)
    more: int = 0
    """How many further files differ."""


@verb(
    "workspace.diff",
    "read",
    for_=STAFF,
    touches=at_home(),
    target="ref",
    examples=[{"ref": "app1"}],
    text="hq.workspace.workspace_text:difference",
)
async def diff(tx: Tx, args: WorkspaceDiffArgs) -> Difference:
    """What changed: by the last merge, in a session, or between any two of its snapshots."""
    workspace = await tx.get(args.ref, Workspace)
    tx.target = workspace
    for named in filter(None, (args.before, args.after)):
        await check_own(tx, workspace, named)
    before, after = await (
        _of_session(tx, workspace, args.session) if args.session else _last_change(tx, workspace, args.after)
    )
    before, after = args.before or before, args.after or after
    marks = {f"workspace:{workspace.slug}"}
    return await difference(tx, workspace.slug, before, after, marks, lines=args.patch, limit=args.limit)


async def check_own(tx: Tx, workspace: Stored[Workspace], snapshot: str) -> None:
    """That a snapshot somebody names is one of this workspace. What others keep, and what is none, ends as what there is not: everybody
    may know a hash, and any file may look like a directory."""
    values = {"workspace": workspace.id, "snapshot": snapshot, "empty": EMPTY}
    if not await tx.the_scalar(SQL["has_held"], values, of=bool):
        raise Refused.not_found(
            f"{workspace.slug} has no snapshot {snapshot[:12]}",
            hint=f"`hq workspace history {workspace.slug}` shows what it held, `hq workspace trees` what its sessions saved",
        )


async def difference(
    tx: Tx, slug: str, before: str, after: str, marks: set[str], *, lines: bool, limit: int
) -> Difference:
    """Between two snapshots, under the name of what they are of; `marks` are of what is shown and from outside."""
    blobs = company(tx).blobs
    found = await in_thread(changes, blobs, before, after)
    await mark_names(tx, marks, [change.path for change in found[:limit]])
    if lines and not await is_clean(tx, hashes_of_changes(found[:limit])):
        tx.taint |= marks
    items = await in_thread(_as_dicts, blobs, found[:limit], lines)
    return Difference(slug=slug, before=before, after=after, items=items, more=max(0, len(found) - limit))


async def _last_change(tx: Tx, workspace: Stored[Workspace], after: str | None) -> tuple[str, str]:
    """What it holds, and what it held before that."""
    after = after or held(workspace)
    snapshots = await tx.scalars(SQL["snapshots_before"], {"workspace": workspace.id, **tx.known_values()}, of=str)
    held_then = [snapshot or EMPTY for snapshot in snapshots]
    past = held_then[held_then.index(after) :] if after in held_then else []
    return next((each for each in past if each != after), EMPTY), after


def _as_dicts(blobs: Blobs, found: list[FileChange], lines: bool) -> list[FileDifference]:
    return [_as_dict(blobs, each, lines) for each in found]


def _as_dict(blobs: Blobs, change: FileChange, lines: bool) -> FileDifference:
    told: FileDifference = {
        "what": change.what,
        "path": printable(change.path),
        "before": change.before.size if change.before else None,
        "after": change.after.size if change.after else None,
    }
    if lines:
        told["patch"] = patch(blobs, change)
    return told


VERBS = (files, diff)
