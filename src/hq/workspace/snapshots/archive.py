"""Archives of a snapshot: the same files give the same bytes, and unpacked they stay where they are put.

Whoever unpacks one may have another system: a name is written so that every one of them takes it for a name. A link that leads out of
the tree is left out, and said so.
"""

from __future__ import annotations

import gzip
import io
import os
import re
import tarfile
import unicodedata
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Literal

from hq.workspace.snapshots.blobs import Blobs
from hq.workspace.snapshots.entries import Entry, printable, walk

Form = Literal["tar.gz", "zip"]
Files = Iterator[tuple[str, Entry, bytes]]
Writer = Callable[[BinaryIO, Files], int]
LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The first moment a zip can tell."""
LINK = 0o120777 << 16
NOTE = "LEFT-OUT.txt"
NOTED = Entry("file", "", 0)
ODD = re.compile(r'[\\:*?"<>|\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|[. ]$')
"""What some system takes for more than a letter of a name, or what turns the direction of writing."""


def write_archive(path: Path, blobs: Blobs, snapshot: str, top: str, form: Form) -> tuple[int, list[str]]:
    """Write a snapshot below a directory `top`; there whole or not at all. How many files, and which links were left out."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    left_out: list[str] = []
    try:
        with open(fresh, "wb") as file:
            count = WRITERS[form](file, _files(blobs, snapshot, top, left_out))
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
    return count - bool(left_out), left_out


def _files(blobs: Blobs, snapshot: str, top: str, left_out: list[str]) -> Files:
    names = _Names()
    for path, entry in walk(blobs, snapshot):
        content = b"" if entry.kind == "directory" else blobs.read(entry.hash)
        if entry.kind == "link" and not _stays(path, content):
            left_out.append(names.within(path))
            continue
        yield f"{top}/{names.give(path, entry)}", entry, content
    if left_out:
        said = "Left out, because they are links that lead out of these files:\n\n" + "\n".join(left_out) + "\n"
        yield NOTE, NOTED, said.encode()


class _Names:
    """A name for each path, and none twice: what lies in a directory would else be written through a link of its name."""

    def __init__(self) -> None:
        self._directories = {"": ""}
        self._given: set[str] = set()
        self._links: set[str] = set()
        self._others: set[str] = set()

    def within(self, path: str) -> str:
        """As it would be called, in the directory that it lies in."""
        above, _, name = path.rpartition("/")
        return self._directories[above] + ODD.sub("_", printable(name))

    def give(self, path: str, entry: Entry) -> str:
        name = self.within(path)
        while self._clashes(name, entry):
            name += "_"
        self._given.add(name)
        (self._links if entry.kind == "link" else self._others).add(_folded(name))
        if entry.kind == "directory":
            self._directories[path] = f"{name}/"
        return name

    def _clashes(self, name: str, entry: Entry) -> bool:
        folded = _folded(name)
        return name in self._given or folded in self._links or (entry.kind == "link" and folded in self._others)


def _folded(name: str) -> str:
    """As systems compare names to which small and capital letters are one."""
    return unicodedata.normalize("NFC", name).casefold()


def _stays(path: str, target: bytes) -> bool:
    """Whether a link leads to something within the tree, whatever other links there are on the way."""
    up, depth = 0, path.count("/")
    parts = os.fsdecode(target).replace("\\", "/").split("/")
    while up < len(parts) and parts[up] == "..":
        up += 1
    return up <= depth and ".." not in parts[up:] and parts[0] != "" and ":" not in parts[0]


def _tar(file: BinaryIO, files: Files) -> int:
    with (
        gzip.GzipFile("", "wb", 6, file, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as archive,
    ):
        return sum(_into_tar(archive, *each) for each in files)


def _into_tar(archive: tarfile.TarFile, name: str, entry: Entry, content: bytes) -> int:
    info = tarfile.TarInfo(name)
    info.mode = _mode(entry)
    if entry.kind == "directory":
        info.type = tarfile.DIRTYPE
        archive.addfile(info)
        return 0
    if entry.kind == "link":
        info.type, info.linkname = tarfile.SYMTYPE, os.fsdecode(content)
        archive.addfile(info)
    else:
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    return 1


def _zip(file: BinaryIO, files: Files) -> int:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        return sum(_into_zip(archive, *each) for each in files)


def _into_zip(archive: zipfile.ZipFile, name: str, entry: Entry, content: bytes) -> int:
    if entry.kind == "directory":
        return 0
    info = zipfile.ZipInfo(name, LONG_AGO)
    info.external_attr = LINK if entry.kind == "link" else (0o100000 | _mode(entry)) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, content)
    return 1


def _mode(entry: Entry) -> int:
    return 0o755 if entry.kind in ("program", "directory") else 0o644


WRITERS: dict[Form, Writer] = {"tar.gz": _tar, "zip": _zip}
