"""`hq mission files|read_file|changes|download`: what a mission brought, to look at and to take away."""

from __future__ import annotations

from base64 import b64encode
from typing import TypedDict

from pydantic import Field

from hq.artifacts.excerpt import readable
from hq.door.access import CREW, STAFF, Touch, at_home
from hq.door.json_shape import AsJson
from hq.door.results import Page
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.errors import Refused
from hq.missions.delivery import Sort, look
from hq.missions.output import MissionFiles, output_of
from hq.missions.types import Mission
from hq.workspace.clean_content import content_hash, is_clean, mark_names
from hq.workspace.snapshots.lookup import NoSuchFile, file_at
from hq.workspace.snapshots.threads import in_thread
from hq.workspace.verbs.diff_verbs import Difference, FileItem, difference, listed
from hq.workspace.verbs.snapshot_verbs import WorkspaceExported, archived
from hq.workspace.verbs.workspace_verbs import company

PAGE = 20_000
"""Characters of a file that are shown at once."""


class MissionRefArgs(Args):
    """Which mission."""

    ref: Ref = first()
    """Slug of the mission."""


async def files_of(tx: Tx, ref: str) -> MissionFiles:
    mission = await tx.get(ref, Mission)
    found = await output_of(tx, mission)
    if found is None:
        raise Refused.not_found(f"{mission.slug} has no files", hint="`hq mission list` shows others")
    tx.target = mission
    return found


async def _read(tx: Tx, found: MissionFiles, path: str) -> tuple[str, bytes]:
    """A file's path and its content. Programs and strangers' code write there: what is shown, also the names of other files where
    there is no such one, is from outside, unless the company itself made it."""
    try:
        path, content = await in_thread(file_at, company(tx).blobs, found.snapshot, path)
    except NoSuchFile as error:
        await mark_names(tx, marks_of(found), error.near)
        raise
    if not await is_clean(tx, [content_hash(content)]):
        tx.taint |= marks_of(found)
    return path, content


def marks_of(found: MissionFiles) -> set[str]:
    return {f"workspace:{each.slug}" for each in found.workspaces}


class MissionFilesArgs(MissionRefArgs):
    path: str = Field("", max_length=4096)
    """Only below this directory."""
    limit: int = Field(200, ge=1, le=5000)
    """How many at most."""
    after: str | None = Field(None, max_length=4096)
    """The `next` of the page before."""


class PartFilesItem(TypedDict):
    """A part that made something; its files lie below a directory of its name."""

    mission: str
    title: str
    opens_as: Sort


class MissionFileList(Page[FileItem]):
    mission: str
    workspace: str | None = None
    """Where they lie; nothing of a whole that has only what its parts made."""
    opens_as: Sort
    """What `hq mission open` shows: an app, a page, a document, or the files."""
    parts: AsJson[list[PartFilesItem]] = Field(default_factory=list)
    """Of a whole without files of its own, the parts whose files these are."""


@verb(
    "mission.files",
    "read",
    for_=STAFF,
    touches=at_home(),
    past=False,
    target="ref",
    examples=[{"ref": "flight-tracker"}],
)
async def files(tx: Tx, args: MissionFilesArgs) -> MissionFileList:
    """The files of a mission, as they were last merged, with their sizes; of a whole, those of its parts. What running leaves lying,
    such as __pycache__, `hq workspace files` lists."""
    found = await files_of(tx, args.ref)
    blobs = company(tx).blobs
    shown = await in_thread(listed, blobs, found.snapshot, args.path, args.limit, args.after, by_products=False)
    await mark_names(tx, marks_of(found), [item["path"] for item in shown.items])
    opens = await in_thread(look, blobs, found.snapshot, found.start)
    return MissionFileList(
        mission=found.mission.slug,
        workspace=found.workspace.slug if found.workspace else None,
        opens_as=opens.sort,
        parts=[
            {
                "mission": each.mission.slug,
                "title": each.mission.title,
                "opens_as": (await in_thread(look, blobs, each.snapshot, each.start)).sort,
            }
            for each in found.parts
        ],
        items=shown.items,
        next=shown.next,
    )


class MissionReadFileArgs(MissionRefArgs):
    path: str = first(min_length=1, max_length=4096)
    """Such as README.md or src/app.py."""
    offset: int = Field(0, ge=0)
    """The `next` of the page before."""


class MissionFileText(Result):
    mission: str
    path: str
    text: str = ""
    size: int
    """Bytes of the whole file."""
    next: int | None = None
    """Where it goes on, if it does."""
    taint: list[str] = Field(default_factory=list)


@verb(
    "mission.read_file",
    "read",
    for_=STAFF,
    touches=at_home(),
    past=False,
    target="ref",
    examples=[{"ref": "flight-tracker", "path": "README.md"}],
    text="hq.artifacts.content_text:content",
)
async def read_file(tx: Tx, args: MissionReadFileArgs) -> MissionFileText:
    """Read a file of a mission."""
    found = await files_of(tx, args.ref)
    path, content = await _read(tx, found, args.path)
    told = MissionFileText(mission=found.mission.slug, path=path, size=len(content), taint=sorted(tx.taint))
    if b"\0" in content[:8192]:
        raise Refused.invalid(
            f"{path} is no text ({len(content):,} bytes)", hint=f"`hq mission download {found.mission.slug}` brings it"
        )
    text = readable(content)
    told.text = text[args.offset : args.offset + PAGE]
    after = args.offset + len(told.text)
    told.next = after if after < len(text) else None
    return told


class MissionFetchFileArgs(MissionRefArgs):
    path: str = first(min_length=1, max_length=4096)
    """The file, such as report.pdf."""


class MissionFileBytes(Result):
    mission: str
    path: str
    base64: str
    """All of it."""


@verb(
    "mission.fetch_file",
    "read",
    for_=STAFF,
    touches=at_home(),
    past=False,
    target="ref",
    shown_once=["base64"],
    internal=True,
)
async def fetch_file(tx: Tx, args: MissionFetchFileArgs) -> MissionFileBytes:
    """Fetch a file of a mission as it is, also what is no text."""
    found = await files_of(tx, args.ref)
    path, content = await _read(tx, found, args.path)
    return MissionFileBytes(mission=found.mission.slug, path=path, base64=b64encode(content).decode())


class MissionChangesArgs(MissionRefArgs):
    patch: bool = True
    """Line by line; else only which files."""
    limit: int = Field(200, ge=1, le=5000)
    """How many files at most."""


@verb(
    "mission.changes",
    "read",
    for_=STAFF,
    touches=at_home(),
    past=False,
    target="ref",
    examples=[{"ref": "flight-tracker"}],
    text="hq.workspace.workspace_text:difference",
)
async def changes(tx: Tx, args: MissionChangesArgs) -> Difference:
    """What a mission changed among its files: all that it made, or what it changed of what was there before."""
    found = await files_of(tx, args.ref)
    return await difference(
        tx, found.mission.slug, found.before, found.after, marks_of(found), lines=args.patch, limit=args.limit
    )


async def _packed(tx: Tx, args: MissionRefArgs) -> MissionFiles:
    return await files_of(tx, args.ref)


@verb(
    "mission.download",
    "effect",
    for_=CREW,
    touches=(Touch("ref", "party", agent="tenant", project="own"), at_home()),
    scope="write",
    target="ref",
    prepare=_packed,
    examples=[{"ref": "flight-tracker"}],
    text="hq.workspace.workspace_text:exported",
)
async def download(tx: Tx, args: MissionRefArgs) -> WorkspaceExported:
    """Put all files of a mission into a zip, and say where it is on this machine."""
    found: MissionFiles = tx.prepared
    tx.target = found.mission
    name = found.workspace.slug if found.workspace else found.mission.slug
    return await in_thread(archived, company(tx), name, found.snapshot, "zip")


VERBS = (files, read_file, fetch_file, changes, download)
