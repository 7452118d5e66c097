"""`read_file`, `write_file`, `edit_file`, `grep` and `glob`."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from pydantic import Field

from hq.artifacts.excerpt import readable
from hq.artifacts.store import bytes_of, keep_bytes
from hq.door.access import CREW, STAFF
from hq.door.results import Listing
from hq.door.tx import Tx
from hq.door.verb import Result, first, verb
from hq.errors import Refused
from hq.json_types import CallArgs
from hq.sandbox import paths
from hq.workspace.clean_content import content_hash, is_clean, keep_clean, path_hash, writes_clean
from hq.workspace.files.tree import MOST, FileTree, FoundFile, FoundText
from hq.workspace.files.whole import WholeFiles, wholes_of
from hq.workspace.session_tree import IN_WORKSPACE, OWN_TREE, InTree, WorkingTree, place_of
from hq.workspace.snapshots.threads import in_thread
from hq.workspace.types import Workspace
from hq.workspace.verbs.rows import SessionTreeRow
from hq.workspace.verbs.workspace_verbs import SQL

LONGEST = 1_000_000
EXAMPLE = {"workspace": "app1", "session": "first"}


class FileReadArgs(InTree):
    path: str = first(min_length=1, max_length=1000)
    """In the working tree, such as src/app.py."""
    line: int = Field(1, ge=1)
    """The first line to show."""
    lines: int = Field(2000, ge=1, le=10_000)
    """How many lines at most."""


class FileText(Result):
    path: str
    text: str
    line: int
    lines: int
    """How many there are in all."""
    size: int
    sha256: str
    """Names this very content."""
    cut: bool
    """There is more than is shown."""
    taint: list[str]
    workspace: str | None = None
    """Whose it is, where it lies in no tree of yours: of the mission that yours is a part of. What you write is your own copy."""


@verb(
    "file.read",
    "read",
    shows=("workspace", "line", "lines"),
    for_=STAFF,
    touches=OWN_TREE,
    past=False,
    tool="read_file",
    examples=[{"path": "src/app.py", **EXAMPLE}],
    text="hq.artifacts.content_text:content",
)
async def read(tx: Tx, args: FileReadArgs) -> FileText:
    """Read a file of your tree, or of the whole."""
    content, whole = await _content(tx, await _looking(tx, args), args.path)
    lines = readable(content).splitlines(keepends=True)
    shown = "".join(lines[args.line - 1 : args.line - 1 + args.lines])
    return FileText(
        path=args.path,
        text=shown[:LONGEST],
        line=args.line,
        lines=len(lines),
        size=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        cut=args.line - 1 + args.lines < len(lines) or len(shown) > LONGEST,
        taint=sorted(tx.taint),
        workspace=whole.workspace.slug if whole else None,
    )


class FileWritten(Result):
    path: str
    workspace: str
    session: str
    size: int
    sha256: str
    """What it holds now."""
    before: str | None = None
    """What it held before; absent where it was not there."""


def _undo(_given: Any, output: Any) -> tuple[str, CallArgs]:
    names = ("path", "workspace", "session", "before")
    return "file.restore", {"expect": output["sha256"], **{name: output.get(name) for name in names}}


class FileWriteArgs(InTree):
    path: str = first(min_length=1, max_length=1000)
    """In the working tree, such as src/app.py."""
    content: str = Field(max_length=LONGEST, json_schema_extra={"long": True})
    """All that the file is to hold."""


async def _prepared(tx: Tx, args: InTree) -> WorkingTree:
    place = await place_of(tx, args)
    if not writes_clean(tx):  # before it happens: whatever becomes of this call, programs may find it there
        await _taint_tree(tx, place)
    return place


async def _taint_tree(tx: Tx, place: WorkingTree) -> None:
    values = {"workspace": place.workspace.id, "session": place.session, "mark": place.mark}
    await tx.conn.execute(SQL["taint_tree"], values)


@verb("file.write", "effect", shows=(), for_=CREW, touches=(IN_WORKSPACE, OWN_TREE), scope="write", undo="compensating", undo_by=_undo, emits="file.written",
      prepare=_prepared, by_hash=["content"], tool="write_file",
      examples=[{"path": "src/app.py", "content": "print('hello')", **EXAMPLE}])  # fmt: skip
async def write(tx: Tx, args: FileWriteArgs) -> FileWritten:
    """Write a file of the working tree, whole; directories on the way are made."""
    return await _put(tx, tx.prepared, args.path, args.content.encode())


class FileEditArgs(InTree):
    path: str = first(min_length=1, max_length=1000)
    """In the working tree, such as src/app.py."""
    old: str = Field(min_length=1, max_length=LONGEST)
    """What stands there, exactly, and nowhere else."""
    new: str = Field(max_length=LONGEST)
    """What comes instead."""
    all: bool = False
    """Everywhere it stands."""


@dataclass(frozen=True)
class PreparedEdit:
    place: WorkingTree
    clean: str | None
    """What the file holds, if that is the company's own."""


async def _to_edit(tx: Tx, args: FileEditArgs) -> PreparedEdit:
    place = await place_of(tx, args)
    held = content_hash(await asyncio.to_thread(place.tree.read, args.path))
    await _mark(tx, place, [held])
    return PreparedEdit(await _prepared(tx, args), None if tx.taint else held)


@verb("file.edit", "effect", shows=("all",), for_=CREW, touches=(IN_WORKSPACE, OWN_TREE), scope="write", undo="compensating", undo_by=_undo, emits="file.edited",
      prepare=_to_edit, by_hash=["old", "new"], tool="edit_file",
      examples=[{"path": "src/app.py", "old": "hello", "new": "goodbye", **EXAMPLE}])  # fmt: skip
async def edit(tx: Tx, args: FileEditArgs) -> FileWritten:
    """Replace a piece of text in a file of the working tree."""
    ready: PreparedEdit = tx.prepared
    content = await asyncio.to_thread(ready.place.tree.read, args.path)
    if content_hash(content) != ready.clean:
        tx.taint.add(ready.place.mark)
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise Refused.conflict(f"{args.path} is no text in UTF-8") from None
    count = text.count(args.old)
    if count == 0:
        raise Refused.not_found(f"that does not stand in {args.path}; read it and say it exactly as it stands there")
    if count > 1 and not args.all:
        raise Refused.conflict(f"that stands in {args.path} {count} times; say more of what is around it, or all")
    size = len(text) + count * (len(args.new) - len(args.old))
    if size > MOST:
        raise Refused(f"{args.path} would hold {size:,} characters, which no file here may", code="too_large")
    return await _put(tx, ready.place, args.path, text.replace(args.old, args.new).encode())


async def _put(tx: Tx, place: WorkingTree, path: str, content: bytes) -> FileWritten:
    tx.target = place.workspace
    before = await asyncio.to_thread(place.tree.write, path, content)
    tx.on_recorded.append(partial(_remember, place=place, path=path, content=content, before=before))
    return _written(place, path, content, before)


def _written(place: WorkingTree, path: str, content: bytes, before: bytes | None) -> FileWritten:
    return FileWritten(
        path=path,
        workspace=place.workspace.slug,
        session=place.session,
        size=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        before=hashlib.sha256(before).hexdigest() if before is not None else None,
    )


async def _remember(tx: Tx, place: WorkingTree, path: str, content: bytes, before: bytes | None) -> None:
    if before is not None:
        await keep_bytes(tx, before)
    if writes_clean(tx):
        await keep_clean(tx, {content_hash(content), *map(path_hash, _ways(path))})
    else:
        await _taint_tree(tx, place)


def _ways(path: str) -> list[str]:
    """A path, and the directories on the way to it."""
    names = paths.parts(path)
    return ["/".join(names[:many]) for many in range(1, len(names) + 1)]


class FileRestoreArgs(InTree):
    path: str = first(min_length=1, max_length=1000)
    """Which file."""
    expect: str = Field(pattern=r"^[0-9a-f]{64}$")
    """What it must hold now; otherwise it was changed since, and stays."""
    before: str | None = Field(None, pattern=r"^[0-9a-f]{64}$")
    """What it is to hold again; absent where it is to go."""


@verb("file.restore", "write", for_=STAFF, touches=OWN_TREE, emits="file.restored", internal=True)
async def restore(tx: Tx, args: FileRestoreArgs) -> FileWritten:
    """Bring back what a file held before it was written or edited; part of taking that back."""
    place = await place_of(tx, args)
    tx.target = place.workspace
    was_there = args.before and await tx.the_scalar(
        SQL["was_replaced"], {"workspace": place.workspace.id, "hash": args.before}, of=bool
    )  # whoever knows a hash knows nothing of what is kept under it
    content = await bytes_of(tx, bytes.fromhex(args.before)) if args.before and was_there else None
    if args.before and content is None:
        raise Refused.not_found(f"what {args.path} held before is not kept")
    if content is not None and not await is_clean(tx, [content_hash(content)]):
        await _taint_tree(tx, place)
    now = await asyncio.to_thread(place.tree.read, args.path)
    if hashlib.sha256(now).hexdigest() != args.expect:
        raise Refused(f"{args.path} was changed since; nothing was brought back", code="stale")
    if content is None:
        await asyncio.to_thread(place.tree.remove, args.path)
    else:
        await asyncio.to_thread(place.tree.write, args.path, content)
    return _written(place, args.path, content or b"", now)


class FileGrepArgs(InTree):
    pattern: str = first(min_length=1, max_length=1000)
    """A regular expression, as RE2 has them."""
    glob: str = Field("**", min_length=1, max_length=500)
    """Only in these files, such as src/**/*.py."""
    ignore_case: bool = False
    """Capital and small letters alike."""
    limit: int = Field(200, ge=1, le=2000)
    """How many lines at most."""


T = TypeVar("T")
F = TypeVar("F", FoundText, FoundFile)


class Hits(Listing[T]):
    cut: bool
    """There are more; say a narrower pattern or glob."""
    taint: list[str]


@verb(
    "file.grep",
    "read",
    shows=("glob",),
    for_=STAFF,
    touches=OWN_TREE,
    past=False,
    tool="grep",
    examples=[{"pattern": "TODO", "glob": "**/*.py", **EXAMPLE}],
)
async def grep(tx: Tx, args: FileGrepArgs) -> Hits[FoundText]:
    """Lines matching a pattern, in files here and in the whole."""
    sight = await _looking(tx, args)
    search = partial(sight.grep, args.pattern, args.glob, ignore_case=args.ignore_case, most=args.limit)
    items, cut = await in_thread(search)
    await _mark_found(tx, sight, items, contents=True)
    for item in items:
        item["text"] = readable(item["text"].encode())
    return Hits[FoundText](items=items, cut=cut, taint=sorted(tx.taint))


class FileGlobArgs(InTree):
    pattern: str = first(min_length=1, max_length=500)
    """Such as **/*.py: * within a name, ** across directories, ? for one character."""
    limit: int = Field(500, ge=1, le=5000)
    """How many files at most."""


@verb(
    "file.glob",
    "read",
    shows=(),
    for_=STAFF,
    touches=OWN_TREE,
    past=False,
    tool="glob",
    examples=[{"pattern": "**/*.py", **EXAMPLE}],
)
async def glob(tx: Tx, args: FileGlobArgs) -> Hits[FoundFile]:
    """Files matching a pattern, here and in the whole."""
    sight = await _looking(tx, args)
    items, cut = await in_thread(sight.glob, args.pattern, args.limit)
    await _mark_found(tx, sight, items, contents=False)
    return Hits[FoundFile](items=items, cut=cut, taint=sorted(tx.taint))


@dataclass(frozen=True)
class FilesInSight:
    """What a session reads: its own tree, and the files of the wholes that its mission is a part of."""

    place: WorkingTree
    wholes: Sequence[WholeFiles]
    own: bool = True
    """Whether its own tree is meant too."""

    def grep(self, pattern: str, glob: str, *, ignore_case: bool, most: int) -> tuple[list[FoundText], bool]:
        return self._all(lambda each: each.grep(pattern, glob, ignore_case=ignore_case, most=most), most)

    def glob(self, pattern: str, most: int) -> tuple[list[FoundFile], bool]:
        return self._all(lambda each: each.glob(pattern, most), most)

    def _all(self, look: Callable[[FileTree | WholeFiles], tuple[list[F], bool]], most: int) -> tuple[list[F], bool]:
        """What lies nearest stands for what has its path further up."""
        found, cut = look(self.place.tree) if self.own else ([], False)
        for whole in self.wholes:
            near = {each["path"] for each in found}
            more, also = look(whole)
            found, cut = [*found, *(each for each in more if each["path"] not in near)], cut or also
        return found[:most], cut or len(found) > most


async def _looking(tx: Tx, args: InTree) -> FilesInSight:
    sight = await _of_whole(tx, args.workspace) if args.workspace and not args.session else None
    if sight is None:
        place = await place_of(tx, args)
        sight = FilesInSight(place, await wholes_of(tx, place.workspace))
    tx.target = sight.place.workspace
    return sight


async def _of_whole(tx: Tx, named: str) -> FilesInSight | None:
    """Where no tree of the session is meant, but the files of a whole that its mission is a part of."""
    own = str(tx.call.session_id) if tx.call.session_id else ""
    trees = await tx.rows(SQL["trees_of_session"], {"session": own}, into=SessionTreeRow)
    meant = await tx.look_up(named, Workspace)
    if meant is None or len(trees) != 1 or trees[0].workspace_id == meant.id:
        return None
    place = await place_of(tx, InTree(session=None))
    found = [each for each in await wholes_of(tx, place.workspace) if each.workspace.id == meant.id]
    return FilesInSight(place, found, own=False) if found else None


async def _content(tx: Tx, sight: FilesInSight, path: str) -> tuple[bytes, WholeFiles | None]:
    """What a file holds, and whose it is where it is not in the tree."""
    missing = Refused.not_found(f"there is no file {path!r}", hint="`hq file glob '**'` lists what there is")
    if sight.own:
        try:
            content = await asyncio.to_thread(sight.place.tree.read, path)
            await _mark(tx, sight.place, [content_hash(content)])
            return content, None
        except Refused as refused:
            if refused.code != missing.code:
                raise
            missing = refused
    for whole in sight.wholes:
        if (found := await asyncio.to_thread(whole.read, path)) is not None:
            await _mark(tx, whole, [content_hash(found)])
            return found, whole
    raise missing


async def _mark(tx: Tx, place: WorkingTree | WholeFiles, shown: Collection[str]) -> None:
    """What is shown is from outside, unless the company itself made all of it."""
    if not await is_clean(tx, shown):
        tx.taint.add(place.mark)


async def _mark_found(tx: Tx, sight: FilesInSight, found: Sequence[FoundText | FoundFile], *, contents: bool) -> None:
    """Of many files. They are read once more, so a tree into which something from outside came is not believed."""
    for whole in sight.wholes:
        mine = {each["path"] for each in found if each.get("workspace") == whole.workspace.slug}
        shown = set(map(path_hash, mine))
        if contents:
            read = [await asyncio.to_thread(whole.read, path) for path in mine]
            shown |= {content_hash(content) for content in read if content is not None}
        await _mark(tx, whole, shown)
    place, own = sight.place, {each["path"] for each in found if "workspace" not in each}
    values = {"workspace": place.workspace.id, "session": place.session}
    if await tx.scalar(SQL["tree_taint"], values, of=list):
        tx.taint.add(place.mark)
        return
    shown = set(map(path_hash, own))
    if contents:
        shown |= {content_hash(await asyncio.to_thread(place.tree.read, path)) for path in own}
    await _mark(tx, place, shown)


VERBS = (read, write, edit, restore, grep, glob)
