"""A directory as it is kept: its entries by name, each with the hash of its content. A snapshot is the hash of the top one.

So two trees that share a directory share its entry, and comparing them costs what differs. Contents of files lie beside them under
their hashes, and anybody may write a file that looks like a directory: so what is read is believed only if we could have written it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Literal, NamedTuple, get_args

from hq.errors import Refused
from hq.sandbox.paths import DEEPEST, TooDeep
from hq.workspace.snapshots.blobs import HASH, Blobs

Kind = Literal["file", "program", "link", "directory"]
KINDS = frozenset(get_args(Kind))
LONGEST_NAME = 255
"""Bytes; no file system here has longer ones."""
MOST = 1_000_000
"""Files and directories of one tree."""
LEVELS = DEEPEST + 16
"""A whole has its parts' trees below it, and theirs."""
PATIENCE = 60.0
"""Seconds that reading the directories of a tree may take."""
REMEMBERED = 50_000
"""Entries of directories that are read once, however often one piece of work comes by."""


class Entry(NamedTuple):
    kind: Kind
    hash: str
    size: int
    """Bytes; of a directory, of everything below it."""


Entries = Mapping[str, Entry]
NOTHING: Entries = {}


class NotSnapshot(Refused):
    """What is kept under a hash is no directory."""

    default = "not_found"

    def __init__(self, hash_: str) -> None:
        super().__init__(f"{hash_[:12]} is no snapshot", hint="`hq workspace history` shows them")


class TooMany(Refused):
    """A tree of more than is worked on at once."""

    default = "too_large"

    def __init__(self) -> None:
        super().__init__(f"there are more than {MOST:,} files and directories, or it takes too long to go through them")


def is_name(name: str) -> bool:
    """Whether it names something in a directory, and nothing anywhere else."""
    try:
        written = name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    there = name not in ("", ".", "..") and "/" not in name and "\0" not in name
    return there and len(written) <= LONGEST_NAME and written.decode("utf-8", "surrogateescape") == name


def put_entries(blobs: Blobs, entries: Entries) -> Entry:
    """Keep a directory. The same entries are always the same bytes."""
    return Entry("directory", blobs.put(_written(entries)), sum(entry.size for entry in entries.values()))


def get_entries(blobs: Blobs, hash_: str) -> Entries:
    """What is in a directory. Refused where that is no directory that we wrote down."""
    content = blobs.read(hash_)
    try:
        listed = json.loads(content) if content[:1] == b"[" else None
    except (ValueError, RecursionError):
        listed = None
    if not isinstance(listed, list) or not all(map(_is_entry, listed)):
        raise NotSnapshot(hash_)
    entries = {name: Entry(*rest) for name, *rest in listed}
    if _written(entries) != content:
        raise NotSnapshot(hash_)
    return entries


def _written(entries: Entries) -> bytes:
    return json.dumps([[name, *entries[name]] for name in sorted(entries)], separators=(",", ":")).encode()


def _is_entry(item: Any) -> bool:
    match item:
        case [str(name), str(kind), str(hash_), int(size)]:
            known = kind in KINDS and bool(HASH.fullmatch(hash_))
            return known and is_name(name) and size >= 0 and not isinstance(size, bool)
        case _:
            return False


class TreeReader:
    """Reads the directories of trees for one piece of work, and ends it where that becomes more than any tree of files is."""

    def __init__(self, blobs: Blobs) -> None:
        self.blobs = blobs
        self._read: dict[str, Entries] = {}
        self._held = self._count = 0
        self._took = 0.0

    def entries(self, hash_: str, depth: int = 0) -> Entries:
        """What is in a directory; what is come by again counts again."""
        if depth > LEVELS:
            raise TooDeep
        if (found := self._read.get(hash_)) is None:
            began = time.monotonic()
            found = get_entries(self.blobs, hash_)
            self._took += time.monotonic() - began
            self._held += len(found)
            if self._held > REMEMBERED:
                self._read.clear()
                self._held = len(found)
            self._read[hash_] = found
        self._count += 1 + len(found)
        if self._count > MOST or self._took > PATIENCE:
            raise TooMany
        return found

    def below(self, entry: Entry | None, depth: int) -> Entries:
        """What is in it, if it is a directory."""
        return self.entries(entry.hash, depth) if entry and entry.kind == "directory" else NOTHING


def walk(
    blobs: Blobs, hash_: str, path: str = "", *, without: Callable[[str], bool] | None = None
) -> Iterator[tuple[str, Entry]]:
    """Everything in a snapshot with its path, directories before what is in them; without names that are not wanted."""
    return _walk(TreeReader(blobs), hash_, path, 0, without)


def _walk(
    reader: TreeReader, hash_: str, path: str, depth: int, without: Callable[[str], bool] | None
) -> Iterator[tuple[str, Entry]]:
    for name, entry in reader.entries(hash_, depth).items():
        if without is not None and without(name):
            continue
        yield path + name, entry
        if entry.kind == "directory":
            yield from _walk(reader, entry.hash, f"{path}{name}/", depth + 1, without)


def reachable(blobs: Blobs, hash_: str, found: set[str]) -> None:
    """Add everything a snapshot refers to, itself too. What is found already has been gone through, and what is no snapshot refers to
    nothing."""
    ahead = [hash_]
    while ahead:
        directory = ahead.pop()
        if directory in found or not blobs.has(directory):
            continue
        found.add(directory)
        with suppress(NotSnapshot):
            for entry in get_entries(blobs, directory).values():
                if entry.kind == "directory":
                    ahead.append(entry.hash)
                else:
                    found.add(entry.hash)


def printable(path: str) -> str:
    """A name as it can be shown and stored: bytes that are no text are written out."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
