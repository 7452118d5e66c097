"""Clean content: what the company made by itself. A file is from outside unless exactly that was written where nothing from outside
had been read; what nobody knows of is from outside. Paths are words too, so they are kept beside the contents."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator

from hq.door.tx import Tx
from hq.workspace.snapshots.blobs import Blobs
from hq.workspace.snapshots.changes import FileChange
from hq.workspace.snapshots.entries import walk
from hq.workspace.verbs.workspace_verbs import SQL


def content_hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def path_hash(path: str) -> str:
    return content_hash(path.encode("utf-8", "surrogateescape"))


def writes_clean(tx: Tx) -> bool:
    """Whether who calls has read nothing from outside: a person, or a session, of which that is known."""
    return not tx.taint and (tx.caller.in_person or tx.call.session_id is not None)


async def is_clean(tx: Tx, hashes: Collection[str]) -> bool:
    return not await tx.the_scalar(SQL["unclean"], {"hashes": list(hashes)}, of=bool)


async def mark_names(tx: Tx, marks: Collection[str], paths: Collection[str]) -> None:
    """Whoever is shown names of files is shown words from outside, unless the company itself named them all."""
    if not await is_clean(tx, [path_hash(path) for path in paths]):
        tx.taint |= set(marks)


async def keep_clean(tx: Tx, hashes: Collection[str]) -> None:
    await tx.conn.execute(SQL["keep_clean"], {"hashes": list(hashes), "now": tx.now})


def hashes_of(blobs: Blobs, snapshot: str) -> set[str]:
    return set(_hashes(blobs, snapshot))


def _hashes(blobs: Blobs, snapshot: str) -> Iterator[str]:
    for path, entry in walk(blobs, snapshot):
        yield path_hash(path)
        if entry.kind != "directory":
            yield entry.hash


def hashes_of_changes(found: Collection[FileChange]) -> set[str]:
    """What is shown where files are compared line by line."""
    sides = [each for change in found for each in (change.before, change.after) if each and each.kind != "directory"]
    return {each.hash for each in sides} | {path_hash(change.path) for change in found}
