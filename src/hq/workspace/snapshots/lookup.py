"""Lookup of one file in a snapshot, by its path."""

from __future__ import annotations

from collections.abc import Sequence

from hq.errors import Refused
from hq.grammar import with_article
from hq.sandbox import paths
from hq.workspace.snapshots.blobs import Blobs
from hq.workspace.snapshots.entries import Entry, get_entries, printable, walk

MOST = 64 << 20
"""Bytes of a file that are read at once."""
NAMED = 8
"""Files that are named where there is none of that name."""


class NoSuchFile(Refused):
    """There is no such file; the hint names others."""

    default = "not_found"

    def __init__(self, path: str, near: Sequence[str]) -> None:
        shown = ", ".join(map(printable, near))
        there = f"there {'is' if len(near) == 1 else 'are'} {shown}" if near else "there are no files"
        super().__init__(f"there is no file {path!r}", hint=there)
        self.near = near


def entry_at(blobs: Blobs, snapshot: str, names: Sequence[str]) -> Entry | None:
    """What is there; nothing where there is no such path."""
    entry: Entry | None = Entry("directory", snapshot, 0)
    for name in names:
        if entry is None or entry.kind != "directory":
            return None
        entry = get_entries(blobs, entry.hash).get(name)
    return entry


def file_at(blobs: Blobs, snapshot: str, path: str) -> tuple[str, bytes]:
    """A file's path as it is written, and its content. What is no file is refused; a link is never followed."""
    names = paths.parts(path)
    entry = entry_at(blobs, snapshot, names) if names else None
    if entry is None:
        raise NoSuchFile(path, _near(blobs, snapshot, names))
    if entry.kind not in ("file", "program"):
        raise Refused.invalid(f"{path!r} is {with_article(entry.kind)}, not a file")
    if entry.size > MOST:
        raise Refused(f"{path!r} is larger than {MOST >> 20} MB; download it", code="too_large")
    return "/".join(names), blobs.read(entry.hash)


def _near(blobs: Blobs, snapshot: str, names: Sequence[str]) -> Sequence[str]:
    """Files of the same name elsewhere, or what there is at all."""
    found = [path for path, entry in walk(blobs, snapshot) if entry.kind in ("file", "program")]
    same = [path for path in found if names and path.rpartition("/")[2] == names[-1]]
    return (same or found)[:NAMED]
