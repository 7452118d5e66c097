"""`hq mission open`, `hq preview list|log|stop`: what was made is opened, and stopped again."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TypedDict

from hq.artifacts.excerpt import readable
from hq.door.access import FOUNDER
from hq.door.results import Listing
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.errors import Refused
from hq.missions.delivery import MissionOutput, Sort, look
from hq.missions.files import MissionRefArgs, files_of
from hq.missions.output import MissionFiles
from hq.previews.preview import LIFETIME, PreviewOrder
from hq.previews.previews import Previews
from hq.sandbox import Sandbox
from hq.workspace.directories import limits_of
from hq.workspace.preview_tree import kept_of, tree_of
from hq.workspace.snapshots.threads import in_thread
from hq.workspace.verbs.workspace_verbs import company


class MissionOpened(Result):
    mission: str
    opens_as: Sort
    """An app or a page that runs by itself, a document, or its files."""
    url: str | None = None
    """Where a browser finds what runs; good once, for two minutes."""
    path: str | None = None
    """The page of hq that shows it, where nothing runs."""
    why: str | None = None
    """Why there is no more to see than files."""


async def _to_open(tx: Tx, args: MissionRefArgs) -> tuple[MissionFiles, MissionOutput]:
    found = (await files_of(tx, args.ref)).alone
    if not found.is_there:
        raise Refused.conflict(
            f"{found.mission.slug} has brought nothing yet",
            hint=f"it is {found.mission.status}; try again when it is done",
        )
    if found.parts:
        return found, MissionOutput("files", why=_of_parts(found))
    return found, await in_thread(look, company(tx).blobs, found.snapshot, found.start)


def _of_parts(found: MissionFiles) -> str:
    ways = ", ".join(f"`hq mission open {each.mission.slug}`" for each in found.parts)
    return f"{len(found.parts)} parts made it; {ways} opens one of them"


@verb(
    "mission.open",
    "effect",
    for_=FOUNDER,
    scope="founder",
    target="ref",
    prepare=_to_open,
    shown_once=["url"],
    examples=[{"ref": "flight-tracker"}],
    text="hq.previews.preview_text:opened",
)
async def open_(tx: Tx, args: MissionRefArgs) -> MissionOpened:
    """Open what a mission made: an app or a page runs in the sandbox, a document is shown, files are listed."""
    found, opens = tx.prepared
    mission = tx.target = found.mission
    told = MissionOpened(mission=mission.slug, opens_as=opens.sort, why=opens.why or None)
    if opens.sort not in ("app", "page") or found.workspace is None:
        told.path = f"/missions/{mission.slug}/files" + (f"/{opens.path}" if opens.path else "")
        return told
    workspace, here = found.workspace, company(tx)
    home = here.preview(workspace.id)
    order = PreviewOrder(
        tenant=tx.caller.tenant_id,
        workspace=workspace.id,
        mission=mission.slug,
        snapshot=found.snapshot,
        tree=tree_of(home),
        command=opens.command,
        page=opens.path or "",
        limits=replace(limits_of(workspace.props), runtime_seconds=LIFETIME, output_bytes=0),
        data=kept_of(home),
        lay=partial(here.lay_preview, workspace.id, found.snapshot),
    )
    told.url = (await tx.use(Previews).open(order, tx.use(Sandbox))).link(opens.landing)
    return told


class PreviewListArgs(Args):
    """Nothing to say."""


class PreviewItem(TypedDict):
    """An app that was opened."""

    mission: str
    state: str
    address: str
    command: str
    why: str | None


@verb("preview.list", "read", for_=FOUNDER, scope="founder", past=False, examples=[{}])
async def list_(tx: Tx, args: PreviewListArgs) -> Listing[PreviewItem]:
    """The apps that were opened since hq started, and which of them run."""
    return Listing[PreviewItem](
        items=[
            {
                "mission": each.order.mission,
                "state": "running" if each.running else "stopped",
                "address": each.url,
                "command": each.order.command or "a page",
                "why": each.ended or None,
            }
            for each in tx.use(Previews).of(tx.caller.tenant_id)
        ]
    )


class PreviewRefArgs(Args):
    """Which one."""

    mission: Ref = first()
    """The mission whose app it is."""


async def _found(tx: Tx, args: PreviewRefArgs):
    """By any mission on the same files."""
    found = (await files_of(tx, args.mission)).alone
    if found.workspace is None:
        raise Refused.invalid(f"{found.mission.slug} is its parts", hint=_of_parts(found))
    return tx.use(Previews).find(tx.caller.tenant_id, str(found.workspace.id))


class PreviewLog(Result):
    mission: str
    state: str
    text: str
    """What it printed, the end of it."""


@verb(
    "preview.log",
    "read",
    for_=FOUNDER,
    scope="founder",
    past=False,
    examples=[{"mission": "flight-tracker"}],
    text="hq.artifacts.content_text:content",
)
async def log(tx: Tx, args: PreviewRefArgs) -> PreviewLog:
    """What an app printed since it was opened."""
    found = await _found(tx, args)
    tx.taint.add("sandbox")
    return PreviewLog(
        mission=found.order.mission,
        state="running" if found.running else f"stopped: {found.ended}",
        text=readable(found.log.text.encode()),
    )


class PreviewStopped(Result):
    mission: str
    stopped: bool
    """Whether it still ran."""
    message: str


async def _to_stop(tx: Tx, args: PreviewRefArgs):
    return await _found(tx, args)


@verb(
    "preview.stop",
    "effect",
    for_=FOUNDER,
    scope="founder",
    prepare=_to_stop,
    while_frozen=FOUNDER,
    examples=[{"mission": "flight-tracker"}],
)
async def stop(tx: Tx, args: PreviewRefArgs) -> PreviewStopped:
    """Stop an app that was opened; what was entered in it is kept."""
    found = tx.prepared
    stopped = await tx.use(Previews).stop(found.order, "somebody stopped it")
    says = f"{found.order.mission}: {'stopped' if stopped else 'it was not running'}"
    return PreviewStopped(mission=found.order.mission, stopped=stopped, message=says)


VERBS = (open_, list_, log, stop)
