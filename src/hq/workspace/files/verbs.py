"""`read_file`, `write_file`, `edit_file`, `grep` and `glob`."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Collection
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
from hq.workspace.files.tree import MOST, FoundFile, FoundText
from hq.workspace.session_tree import IN_WORKSPACE, OWN_TREE, InTree, WorkingTree, place_of
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
    """Read a file of the working tree."""
    place = await _looking(tx, args)
    content = await asyncio.to_thread(place.tree.read, args.path)
    await _mark(tx, place, [content_hash(content)])
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
    content = await bytes_of(tx, bytes.fromhex(args.before)) if args.before else None
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
    """Lines in files of the working tree that match a pattern."""
    place = await _looking(tx, args)
    search = partial(place.tree.grep, args.pattern, args.glob, ignore_case=args.ignore_case, most=args.limit)
    items, cut = await asyncio.to_thread(search)
    await _mark_found(tx, place, {item["path"] for item in items}, contents=True)
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
    """Files of the working tree whose path matches a pattern."""
    place = await _looking(tx, args)
    items, cut = await asyncio.to_thread(place.tree.glob, args.pattern, args.limit)
    await _mark_found(tx, place, {item["path"] for item in items}, contents=False)
    return Hits[FoundFile](items=items, cut=cut, taint=sorted(tx.taint))


async def _looking(tx: Tx, args: InTree) -> WorkingTree:
    place = await place_of(tx, args)
    tx.target = place.workspace
    return place


async def _mark(tx: Tx, place: WorkingTree, shown: Collection[str]) -> None:
    """What is shown is from outside, unless the company itself made all of it."""
    if not await is_clean(tx, shown):
        tx.taint.add(place.mark)


async def _mark_found(tx: Tx, place: WorkingTree, found: set[str], *, contents: bool) -> None:
    """Of many files. They are read once more, so a tree into which something from outside came is not believed."""
    values = {"workspace": place.workspace.id, "session": place.session}
    if await tx.scalar(SQL["tree_taint"], values, of=list):
        tx.taint.add(place.mark)
        return
    shown = set(map(path_hash, found))
    if contents:
        shown |= {content_hash(await asyncio.to_thread(place.tree.read, path)) for path in found}
    await _mark(tx, place, shown)


VERBS = (read, write, edit, restore, grep, glob)
