"""Archives of a snapshot: the same files give the same bytes."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Literal

from hq.workspace.snapshots.blobs import Blobs
from hq.workspace.snapshots.entries import Entry, printable, walk

Form = Literal["tar.gz", "zip"]
Writer = Callable[[BinaryIO, Blobs, str, str], int]
LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The first moment a zip can tell."""
LINK = 0o120777 << 16


def write_archive(path: Path, blobs: Blobs, snapshot: str, top: str, form: Form) -> int:
    """Write a snapshot below a directory `top`; there whole or not at all. How many files."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(fresh, "wb") as file:
            count = WRITERS[form](file, blobs, snapshot, top)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
    return count


def _tar(file: BinaryIO, blobs: Blobs, snapshot: str, top: str) -> int:
    with (
        gzip.GzipFile("", "wb", 6, file, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as archive,
    ):
        return sum(_into_tar(archive, blobs, f"{top}/{path}", entry) for path, entry in walk(blobs, snapshot))


def _into_tar(archive: tarfile.TarFile, blobs: Blobs, name: str, entry: Entry) -> int:
    info = tarfile.TarInfo(name)
    info.mode = _mode(entry)
    if entry.kind == "directory":
        info.type = tarfile.DIRTYPE
        archive.addfile(info)
        return 0
    content = blobs.read(entry.hash)
    if entry.kind == "link":
        info.type, info.linkname = tarfile.SYMTYPE, os.fsdecode(content)
        archive.addfile(info)
    else:
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    return 1


def _zip(file: BinaryIO, blobs: Blobs, snapshot: str, top: str) -> int:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        return sum(
            _into_zip(archive, blobs, f"{top}/{printable(path)}", entry) for path, entry in walk(blobs, snapshot)
        )


def _into_zip(archive: zipfile.ZipFile, blobs: Blobs, name: str, entry: Entry) -> int:
    if entry.kind == "directory":
        return 0
    info = zipfile.ZipInfo(name, LONG_AGO)
    info.external_attr = LINK if entry.kind == "link" else (0o100000 | _mode(entry)) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, blobs.read(entry.hash))
    return 1


def _mode(entry: Entry) -> int:
    return 0o755 if entry.kind in ("program", "directory") else 0o644


WRITERS: dict[Form, Writer] = {"tar.gz": _tar, "zip": _zip}
