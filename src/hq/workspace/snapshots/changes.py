"""Changes between two snapshots: which files, and in text files which lines."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from hq.workspace.snapshots.blobs import Blobs
from hq.workspace.snapshots.by_products import is_by_product
from hq.workspace.snapshots.entries import Entries, Entry, TreeReader, printable

What = Literal["added", "removed", "changed"]
LARGEST, MOST_LINES = 512 << 10, 10_000


@dataclass(frozen=True)
class FileChange:
    path: str
    what: What
    before: Entry | None
    after: Entry | None


def changes(blobs: Blobs, before: str, after: str, *, by_products: bool = False) -> list[FileChange]:
    """What became of each file and link, by-products of running left out; directories count only where they are empty."""
    if before == after:
        return []
    reader = TreeReader(blobs)
    return list(_changes(reader, reader.entries(before), reader.entries(after), "", 1, by_products))


def _changes(
    reader: TreeReader, before: Entries, after: Entries, path: str, depth: int, by_products: bool
) -> Iterator[FileChange]:
    for name in sorted({*before, *after}):
        old, new = before.get(name), after.get(name)
        if old == new or (not by_products and is_by_product(name)):
            continue
        inside_old, inside_new = reader.below(old, depth), reader.below(new, depth)
        if inside_old or inside_new:
            yield from _changes(reader, inside_old, inside_new, f"{path}{name}/", depth + 1, by_products)
        old, new = (None if each and each.kind == "directory" and inside else each
                    for each, inside in ((old, inside_old), (new, inside_new)))  # fmt: skip
        if old or new:
            what: What = "added" if old is None else "removed" if new is None else "changed"
            yield FileChange(path + name, what, old, new)


def patch(blobs: Blobs, change: FileChange) -> list[str]:
    """The lines that differ, as every tool shows them; nothing for what is not text."""
    before, after = _lines(blobs, change.before), _lines(blobs, change.after)
    if before is None or after is None:
        return [f"{printable(change.path)}: not text, or too large to show"]
    name = printable(change.path)
    old, new = (name if change.before else "/dev/null"), (name if change.after else "/dev/null")
    told = list(difflib.unified_diff(before, after, old, new, lineterm="", n=3))
    return told or [f"{name}: only what kind of file it is"]


def _lines(blobs: Blobs, entry: Entry | None) -> list[str] | None:
    if entry is None or entry.kind == "directory":
        return []
    if entry.size > LARGEST:
        return None
    try:
        lines = blobs.read(entry.hash).decode().splitlines()
    except UnicodeDecodeError:
        return None
    return lines if len(lines) <= MOST_LINES and not any("\0" in line for line in lines) else None
