"""`hq workspace begin|save|drop|trees`: each session works on a tree of its own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NotRequired, TypedDict

from pydantic import Field

from hq.door.access import CREW, EVERYONE, INSIDE, Touch
from hq.door.results import Listing
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.json_types import Props
from hq.workspace.clean_content import mark_names
from hq.workspace.snapshots.changes import changes
from hq.workspace.snapshots.entries import printable
from hq.workspace.snapshots.threads import in_thread
from hq.workspace.types import Workspace
from hq.workspace.verbs.rows import OpenedTreeRow, TreeRow
from hq.workspace.verbs.workspace_verbs import NAME, SQL, WorkspaceRefArgs, company, held, inside, usable

SHOWN = 200


class SessionTreeArgs(Args):
    """Whose tree."""

    ref: Ref = first()
    """The workspace: slug or id."""
    session: str | None = Field(None, pattern=NAME)
    """The session the tree belongs to; left out, the one in which the call is made."""


def session_of(tx: Tx, args: SessionTreeArgs) -> str:
    if args.session:
        return args.session
    if tx.call.session_id is None:
        raise Refused.invalid("session: say whose working tree, by any name such as `first`")
    return str(tx.call.session_id)


OPENED_TREE = Touch("session", "opened_tree", within="ref", ceo="own", operator="own", optional=True)


class TreeBegun(Result):
    slug: str
    session: str
    path: str
    """Where the tree is on this machine."""
    base: str
    """The snapshot it began from."""


class AboutMission(TypedDict):
    """What agents may read of their mission."""

    workspace: str
    path: str
    mission: NotRequired[Props]
    brief: NotRequired[Props]


class AboutAgent(TypedDict):
    """Who is at work."""

    actor: str
    slug: NotRequired[str]
    name: NotRequired[str]
    type: NotRequired[str]


class TreeMetadata(TypedDict):
    """What lies beside a working tree, a file each."""

    mission: AboutMission
    agent: AboutAgent


@dataclass(frozen=True)
class PreparedTree:
    workspace: Stored[Workspace]
    base: str
    now: str
    """What the tree is made of if it has to be."""
    metadata: TreeMetadata


async def _open_tree(tx: Tx, args: SessionTreeArgs) -> PreparedTree:
    workspace = await usable(tx, args.ref)
    session = session_of(tx, args)
    values = {"workspace": workspace.id, "session": session, "base": held(workspace)}
    tree = await tx.the_one(SQL["open_tree"], {**values, "now": tx.now, "by": tx.caller.actor}, into=OpenedTreeRow)
    return PreparedTree(workspace, tree.base, tree.saved or tree.base, await metadata(tx, workspace))


async def metadata(tx: Tx, workspace: Stored[Workspace]) -> TreeMetadata:
    """What agents may read of their mission: the brief and who is at work, as they are now."""
    about: AboutMission = {"workspace": workspace.slug, "path": workspace.props.path}
    agent: AboutAgent = {"actor": tx.caller.actor}
    for link in await tx.links(workspace, edge="for_mission"):
        mission = await tx.get(link.other_id)
        about["mission"] = {"slug": mission.slug, **mission.props.model_dump(mode="json", exclude_defaults=True)}
        for near in await tx.links(mission):
            if near.other_type == "brief" and not near.outward:
                brief = await tx.get(near.other_id)
                about["brief"] = {"slug": brief.slug, **brief.props.model_dump(mode="json", exclude_defaults=True)}
            elif near.type == "assigned_to" and near.outward:
                agent = {**agent, "slug": near.other_slug, "name": near.other_title, "type": near.other_type}
    return {"mission": about, "agent": agent}


@verb(
    "workspace.begin",
    "effect",
    for_=CREW,
    touches=(Touch("ref", "tree", agent="mission", ceo="mission", project="own"), OPENED_TREE),
    scope="write",
    emits="workspace.begun",
    target="ref",
    prepare=_open_tree,
    examples=[{"ref": "app1", "session": "first"}],
    text="hq.workspace.workspace_text:begun",
)
async def begin(tx: Tx, args: SessionTreeArgs) -> TreeBegun:
    """Give a session a working tree of its own, as the mission's files are now. One that it has, it keeps."""
    ready: PreparedTree = tx.prepared
    workspace, here = ready.workspace, company(tx)
    tx.target = workspace
    session = session_of(tx, args)
    path = await in_thread(here.begin, workspace.id, session, ready.now)
    await in_thread(here.open, workspace.id, workspace.props, held(workspace), ready.metadata)
    here.note_session({"at": tx.now, "session": session, "workspace": workspace.slug, "actor": tx.caller.actor})
    return TreeBegun(slug=workspace.slug, session=session, path=str(path), base=ready.base)


async def tree_of(tx: Tx, workspace: Stored[Workspace], session: str) -> Any:
    found = await tx.one(SQL["tree"], {"workspace": workspace.id, "session": session}, into=TreeRow)
    if found is None or found.state != "open":
        raise Refused.not_found(
            f"{workspace.slug} has no working tree for {session!r}",
            hint=f"`hq workspace trees {workspace.slug}` lists them, `hq workspace begin` makes one",
        )
    return found


async def _to_save(tx: Tx, args: SessionTreeArgs) -> tuple[Stored[Workspace], Any]:
    workspace = await usable(tx, args.ref)
    return workspace, await tree_of(tx, workspace, session_of(tx, args))


class Saved(Result):
    slug: str
    session: str
    snapshot: str
    files: int
    changed: list[dict[str, str]] = Field(default_factory=list)
    """What differs from what the session began with, the first of it."""
    more: int = 0
    """How many more changes there are."""
    skipped: list[str] = Field(default_factory=list)
    """What is neither file, directory nor link, and so not kept."""


@verb(
    "workspace.save",
    "effect",
    for_=CREW,
    touches=(Touch("ref", "tree", agent="mission", ceo="mission", project="own"), OPENED_TREE),
    scope="write",
    target="ref",
    prepare=_to_save,
    examples=[{"ref": "app1", "session": "first"}],
    text="hq.workspace.workspace_text:saved",
)
async def save(tx: Tx, args: SessionTreeArgs) -> Saved:
    """Take a snapshot of a session's tree. Only what changed since the last one is read."""
    workspace, tree = tx.prepared
    tx.target = workspace
    here, session = company(tx), session_of(tx, args)
    taken = await in_thread(here.save, workspace.id, session)
    found = await in_thread(changes, here.blobs, tree.base, taken.snapshot)
    kept = {"ref": str(workspace.id), "session": session, "snapshot": taken.snapshot, "changes": len(found)}
    tx.follow_ups.append(inside(tx, "workspace.keep", kept))
    named = [*(each.path for each in found[:SHOWN]), *taken.skipped[:SHOWN]]
    tx.on_recorded.append(partial(mark_names, marks={f"workspace:{workspace.slug}"}, paths=named))
    return Saved(
        slug=workspace.slug,
        session=session,
        snapshot=taken.snapshot,
        files=taken.files,
        changed=[{"what": each.what, "path": printable(each.path)} for each in found[:SHOWN]],
        more=max(0, len(found) - SHOWN),
        skipped=[printable(path) for path in taken.skipped[:SHOWN]],
    )


class WorkspaceKeepArgs(SessionTreeArgs):
    snapshot: str = Field(pattern=r"^[0-9a-f]{64}$")
    """What was taken."""
    changes: int = Field(0, ge=0)
    """How much differs from what the session began with."""


class TreeKept(Result):
    slug: str
    session: str
    snapshot: str
    changes: int


@verb("workspace.keep", "write", for_=INSIDE, target="ref", internal=True, emits="workspace.saved")
async def keep(tx: Tx, args: WorkspaceKeepArgs) -> TreeKept:
    """Note which snapshot was taken of a session's tree."""
    workspace, session = await usable(tx, args.ref), session_of(tx, args)
    values = {"workspace": workspace.id, "session": session, "snapshot": args.snapshot, "now": tx.now}
    if await tx.scalar(SQL["save_tree"], values, of=str) is None:
        raise Refused.conflict(f"the working tree of {session} was dropped meanwhile")
    return TreeKept(slug=workspace.slug, session=session, snapshot=args.snapshot, changes=args.changes)


class TreeDropped(Result):
    slug: str
    session: str
    saved: str | None = None
    """The last snapshot taken of it, which stays for a while."""


@verb(
    "workspace.drop",
    "write",
    for_=CREW,
    touches=(Touch("ref", "tree", agent="mission", ceo="mission", project="own"), OPENED_TREE),
    target="ref",
    emits="workspace.dropped",
    examples=[{"ref": "app1", "session": "first"}],
)
async def drop(tx: Tx, args: SessionTreeArgs) -> TreeDropped:
    """Give a session's tree up, with what was not saved in it."""
    workspace, session = await tx.get(args.ref, Workspace), session_of(tx, args)
    tx.target = workspace
    tree = await tree_of(tx, workspace, session)
    await tx.conn.execute(SQL["drop_trees"], {"workspace": workspace.id, "session": session, "now": tx.now})
    tx.follow_ups.append(inside(tx, "workspace.tidy", {"ref": str(workspace.id), "session": session}))
    return TreeDropped(slug=workspace.slug, session=session, saved=tree.saved)


async def _dropped(tx: Tx, args: SessionTreeArgs) -> Stored[Workspace]:
    workspace, session = await tx.get(args.ref, Workspace), session_of(tx, args)
    found = await tx.one(SQL["tree"], {"workspace": workspace.id, "session": session}, into=TreeRow)
    if found is None or found.state != "dropped":
        raise Refused.conflict(f"the working tree of {session} was not dropped")
    return workspace


@verb("workspace.tidy", "effect", for_=INSIDE, scope="write", target="ref", internal=True, prepare=_dropped)
async def tidy(tx: Tx, args: SessionTreeArgs) -> TreeDropped:
    """Remove from the disk a working tree that was dropped."""
    workspace: Stored[Workspace] = tx.prepared
    tx.target = workspace
    session = session_of(tx, args)
    await in_thread(company(tx).drop, workspace.id, session)
    return TreeDropped(slug=workspace.slug, session=session)


class WorkspaceTreesArgs(WorkspaceRefArgs):
    all: bool = False
    """Also those that were dropped."""


class TreeItem(TypedDict):
    """A working tree."""

    session: str
    state: str
    by: str
    opened: str
    saved: str | None
    base: str
    path: str


@verb("workspace.trees", "read", for_=EVERYONE, past=False, target="ref", examples=[{"ref": "app1"}])
async def trees(tx: Tx, args: WorkspaceTreesArgs) -> Listing[TreeItem]:
    """The working trees of a workspace: whose they are, what they began from and what was last saved."""
    workspace = await tx.get(args.ref, Workspace)
    tx.target = workspace
    here = company(tx)
    return Listing[TreeItem](
        items=[
            {
                "session": each.session,
                "state": each.state,
                "by": each.opened_by,
                "opened": each.opened_at.isoformat(),
                "saved": each.saved[:12] if each.saved else None,
                "base": each.base[:12],
                "path": str(here.tree(workspace.id, each.session)),
            }
            for each in await tx.rows(SQL["trees"], {"workspace": workspace.id, "all": args.all}, into=TreeRow)
        ]
    )


VERBS = (begin, save, keep, drop, tidy, trees)
