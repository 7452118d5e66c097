"""`hq workspace create|list|show|set|history|delete`: which workspaces there are and what may be done in them."""

from __future__ import annotations

from pydantic import Field

from hq.database.queries import beside
from hq.door.access import CREW, FOUNDER, INSIDE, Touch
from hq.door.nouns import nouns
from hq.door.results import Row, row
from hq.door.tx import Call, Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.graph.store import NewLink
from hq.json_types import CallArgs, Props
from hq.sandbox.dialer import NetworkPolicy
from hq.workspace.directories import EMPTY, TenantDirectories, Workspaces
from hq.workspace.snapshots.threads import in_thread
from hq.workspace.types import Workspace
from hq.workspace.verbs.rows import DroppedTreeRow

SQL = beside(__file__)
NAME = r"^[a-z0-9][a-z0-9-]{0,79}$"
CATEGORY = r"^[a-z0-9][a-z0-9-]{0,39}(/[a-z0-9][a-z0-9-]{0,39}){0,4}$"
Domains = list[str]


def company(tx: Tx) -> TenantDirectories:
    return tx.use(Workspaces).company(tx.caller.tenant_id)


def held(workspace: Stored[Workspace]) -> str:
    """The snapshot a workspace holds."""
    return workspace.props.snapshot or EMPTY


async def usable(tx: Tx, ref: str) -> Stored[Workspace]:
    """A workspace that may be worked in."""
    workspace = await tx.get(ref, Workspace)
    tx.target = workspace
    if workspace.status == "deleted":
        raise Refused.conflict(f"{workspace.slug} was deleted", hint="`hq undo` of its deletion brings it back")
    if workspace.status == "sealed":
        raise Refused.conflict(f"{workspace.slug} is sealed; `hq workspace set {workspace.slug} --no-sealed` opens it")
    return workspace


async def locked(tx: Tx, workspace: Stored[Workspace]) -> Stored[Workspace]:
    """The workspace as it is now. Until this call is over what it holds stays that, and nobody hands it in."""
    await tx.conn.execute(SQL["lock_files"], {"workspace": str(workspace.id)})
    return await tx.get(workspace.id, Workspace)


def inside(tx: Tx, name: str, args: CallArgs) -> Call:
    """A further step of this call, made once it is committed."""
    return Call(name, args, tx.call.token, actor=tx.call.actor, reason=tx.call.reason, session_id=tx.call.session_id,
                trace_id=tx.call.trace_id, parent_id=tx.action_id, inside=True, quiet=True)  # fmt: skip


class WorkspaceCreateArgs(Args):
    """A directory to work in."""

    name: str = first(pattern=NAME)
    """What it is called, such as app1."""
    category: str = Field("general", pattern=CATEGORY)
    """What sort of work it is for, such as coding/webapp; it lies under that."""
    mission: Ref | None = None
    """The mission that is worked on in it."""
    network: bool = True
    """Whether programs in it may reach the network."""
    allow: Domains = Field(default_factory=list, max_length=200)
    """The only domains they may reach, such as example.com or *.example.org."""
    block: Domains = Field(default_factory=list, max_length=200)
    """Domains they may not reach, with all below them."""


@verb(
    "workspace.create",
    "write",
    for_=CREW,
    touches=Touch("mission", "party", operator="own", optional=True),
    undo="exact",
    emits="workspace.created",
    examples=[{"name": "app1", "category": "coding/webapp"}],
)
async def create(tx: Tx, args: WorkspaceCreateArgs) -> Row:
    """Make a workspace: a directory for a mission, and the limits programs in it are held to."""
    return row(await make_workspace(tx, args))


async def make_workspace(tx: Tx, args: WorkspaceCreateArgs) -> Stored[Workspace]:
    NetworkPolicy(args.allow, args.block)
    mission = await tx.get(args.mission) if args.mission else None
    path = f"missions/{args.category}/{args.name}"
    if mission and "workspace_path" in type(mission.props).model_fields:
        await tx.change(mission, {"workspace_path": path})
    workspace = await tx.create(
        Workspace(
            path=path,
            category=args.category,
            network=args.network,
            allowed_domains=args.allow,
            blocked_domains=args.block,
        ),
        links=[NewLink("for_mission", mission)] if mission else [],
        slug=args.name,
        external=("workspace", path),
    )
    if workspace.slug != args.name:
        raise Refused.conflict(f"there is a workspace {args.name!r} already; take another name")
    tx.target = workspace
    return workspace


class WorkspaceSetArgs(Args):
    """What to change; what is not named stays."""

    ref: Ref = first()
    """Slug or id."""
    sealed: bool | None = None
    """Whether it can only be read."""
    network: bool | None = None
    """Whether programs in it may reach the network."""
    allow: Domains | None = Field(None, max_length=200)
    """The only domains they may reach; an empty list lifts that."""
    block: Domains | None = Field(None, max_length=200)
    """Domains they may not reach."""
    processes: int | None = Field(None, ge=1, le=1000)
    """Processes that may run at once."""
    memory_mb: int | None = Field(None, ge=16, le=1 << 20)
    """Memory they may use."""
    disk_mb: int | None = Field(None, ge=1, le=1 << 24)
    """Disk they may use."""
    minutes: int | None = Field(None, ge=1, le=7 * 24 * 60)
    """How long one of them may run."""


FIELDS = {
    "network": "network",
    "allow": "allowed_domains",
    "block": "blocked_domains",
    "processes": "max_processes",
    "memory_mb": "max_memory_mb",
    "disk_mb": "max_disk_mb",
    "minutes": "max_runtime_minutes",
}


@verb(
    "workspace.set",
    "write",
    for_=FOUNDER,
    scope="founder",
    gate="system",
    undo="exact",
    emits="workspace.updated",
    target="ref",
    examples=[{"ref": "app1", "network": False, "memory_mb": 4096}],
)
async def set_(tx: Tx, args: WorkspaceSetArgs) -> Row:
    """Change what programs in a workspace may do and use, or seal it."""
    workspace = await tx.get(args.ref, Workspace)
    NetworkPolicy(args.allow or (), args.block or ())
    changes: Props = {field: value for name, field in FIELDS.items() if (value := getattr(args, name)) is not None}
    if args.sealed is not None:
        changes["status"] = "sealed" if args.sealed else "open"
    if not changes:
        raise Refused.invalid("nothing to change; `hq workspace set --help` lists what can be")
    workspace = await tx.change(workspace, changes)
    tx.target = workspace
    return row(workspace)


class WorkspaceRefArgs(Args):
    """Which one."""

    ref: Ref = first()
    """Slug or id."""


class Deleted(Result):
    slug: str
    snapshot: str
    """What it held; `hq undo` brings it back as long as that is kept."""
    trees: list[str] = Field(default_factory=list)
    """Sessions whose working tree went with it."""


@verb(
    "workspace.delete",
    "write",
    for_=CREW,
    touches=Touch("ref", "workspace", agent="mission", ceo="mission", project="own"),
    undo="exact",
    gate="destructive",
    emits="workspace.deleted",
    target="ref",
    examples=[{"ref": "app1"}],
)
async def delete(tx: Tx, args: WorkspaceRefArgs) -> Deleted:
    """Remove a workspace's files; its mission stays, and what was merged can be brought back by undo."""
    workspace = await tx.get(args.ref, Workspace)
    if workspace.status == "deleted":
        raise Refused.conflict(f"{workspace.slug} is deleted already")
    tx.target = await tx.move(workspace, "deleted")
    dropped = await tx.rows(
        SQL["drop_trees"], {"workspace": workspace.id, "session": None, "now": tx.now}, into=DroppedTreeRow
    )
    tx.follow_ups.append(inside(tx, "workspace.clear", {"ref": str(workspace.id)}))
    return Deleted(slug=workspace.slug, snapshot=held(workspace), trees=[each.session for each in dropped])


class Cleared(Result):
    slug: str


async def _gone(tx: Tx, args: WorkspaceRefArgs) -> Stored[Workspace]:
    workspace = await tx.get(args.ref, Workspace)
    if workspace.status != "deleted":
        raise Refused.conflict(f"{workspace.slug} is not deleted")
    return workspace


@verb("workspace.clear", "effect", for_=INSIDE, scope="write", target="ref", internal=True, prepare=_gone)
async def clear(tx: Tx, args: WorkspaceRefArgs) -> Cleared:
    """Remove from the disk what a deleted workspace left there."""
    workspace: Stored[Workspace] = tx.prepared
    tx.target = workspace
    await in_thread(company(tx).clear, workspace.id, workspace.props)
    return Cleared(slug=workspace.slug)


VERBS = (
    create,
    *nouns(Workspace, without=("create", "update", "archive", "restore")),
    set_,
    delete,
    clear,
)
