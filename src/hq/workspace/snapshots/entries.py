"""A directory as it is kept: its entries by name, each with the hash of its content. A snapshot is the hash of the top one.

So two trees that share a directory share its entry, and comparing them costs what differs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Literal, NamedTuple

from hq.workspace.snapshots.blobs import Blobs

Kind = Literal["file", "program", "link", "directory"]


class Entry(NamedTuple):
    kind: Kind
    hash: str
    size: int
    """Bytes; of a directory, of everything below it."""


Entries = Mapping[str, Entry]
NOTHING: Entries = {}


def put_entries(blobs: Blobs, entries: Entries) -> Entry:
    """Keep a directory. The same entries are always the same bytes."""
    content = json.dumps([[name, *entries[name]] for name in sorted(entries)], separators=(",", ":")).encode()
    return Entry("directory", blobs.put(content), sum(entry.size for entry in entries.values()))


def get_entries(blobs: Blobs, hash_: str) -> Entries:
    return {name: Entry(*rest) for name, *rest in json.loads(blobs.read(hash_))}


def below(blobs: Blobs, entry: Entry | None) -> Entries:
    """What is in it, if it is a directory."""
    return get_entries(blobs, entry.hash) if entry and entry.kind == "directory" else NOTHING


def walk(
    blobs: Blobs, hash_: str, path: str = "", *, without: Callable[[str], bool] | None = None
) -> Iterator[tuple[str, Entry]]:
    """Everything in a snapshot with its path, directories before what is in them; without names that are not wanted."""
    for name, entry in get_entries(blobs, hash_).items():
        if without is not None and without(name):
            continue
        yield path + name, entry
        if entry.kind == "directory":
            yield from walk(blobs, entry.hash, f"{path}{name}/", without=without)


def reachable(blobs: Blobs, hash_: str, found: set[str]) -> None:
    """Add everything a snapshot refers to, itself too. What is found already has been gone through."""
    if hash_ in found or not blobs.has(hash_):
        return
    found.add(hash_)
    for entry in get_entries(blobs, hash_).values():
        if entry.kind == "directory":
            reachable(blobs, entry.hash, found)
        else:
            found.add(entry.hash)


def printable(path: str) -> str:
    """A name as it can be shown and stored: bytes that are no text are written out."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
