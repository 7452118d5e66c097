"""Checkout of a snapshot: a directory is brought from one to another; only what differs is touched."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from hq.errors import Defect
from hq.sandbox.paths import clear, open_directory, open_top
from hq.workspace.snapshots.blobs import Blobs
from hq.workspace.snapshots.capture import RESERVED
from hq.workspace.snapshots.entries import NOTHING, Entries, Entry, TreeReader, is_name

Owner = Callable[[int], None]
"""Hands what was made to whom it is for."""


def place(blobs: Blobs, directory: Path, before: str | None, after: str, owner: Owner = lambda _: None) -> None:
    """Make a directory that holds the one snapshot (nothing, if none) hold the other."""
    reader = TreeReader(blobs)
    was, meant = reader.entries(before) if before else NOTHING, reader.entries(after)
    if RESERVED in was or RESERVED in meant:
        raise Defect(f"a snapshot holds {RESERVED}, which is no part of any")
    top = open_top(directory)
    try:
        _place(reader, top, 1, was, meant, owner)
    finally:
        os.close(top)


def _place(reader: TreeReader, directory: int, depth: int, before: Entries, after: Entries, owner: Owner) -> None:
    if strays := [name for name in (*before, *after) if not is_name(name)]:  # the kernel would follow an absolute one
        raise Defect(f"{strays[0]!r} is no name of a file")
    for name in before.keys() - after.keys():
        _remove(name, directory)
    for name, entry in after.items():
        old = before.get(name)
        if old == entry:
            continue
        if entry.kind == "directory":
            _directory(reader, directory, depth, name, old, entry, owner)
            continue
        if old and old.kind == "directory":
            _remove(name, directory)
        if entry.kind == "link":
            _link(reader.blobs, directory, name, entry)
        else:
            _file(reader.blobs, directory, name, entry, owner)


def _directory(
    reader: TreeReader, directory: int, depth: int, name: str, old: Entry | None, entry: Entry, owner: Owner
) -> None:
    if old and old.kind != "directory":
        _remove(name, directory)
    with suppress(FileExistsError):
        os.mkdir(name, 0o755, dir_fd=directory)
    inner = open_directory(name, directory)
    try:
        owner(inner)
        _place(reader, inner, depth + 1, reader.below(old, depth), reader.below(entry, depth), owner)
    finally:
        os.close(inner)


def _file(blobs: Blobs, directory: int, name: str, entry: Entry, owner: Owner) -> None:
    """Written beside and put in its place whole, so that nobody ever sees half of it."""
    fresh = f".hq-{os.urandom(8).hex()}"
    mode = 0o755 if entry.kind == "program" else 0o644
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode, dir_fd=directory)
    try:
        blobs.copy(entry.hash, descriptor)
        os.fchmod(descriptor, mode)
        owner(descriptor)
    finally:
        os.close(descriptor)
    os.rename(fresh, name, src_dir_fd=directory, dst_dir_fd=directory)


def _link(blobs: Blobs, directory: int, name: str, entry: Entry) -> None:
    fresh = f".hq-{os.urandom(8).hex()}"
    os.symlink(blobs.read(entry.hash), fresh, dir_fd=directory)
    os.rename(fresh, name, src_dir_fd=directory, dst_dir_fd=directory)


def _remove(name: str, directory: int) -> None:
    try:
        found = os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(found.st_mode):
        os.unlink(name, dir_fd=directory)
        return
    inner = open_directory(name, directory)
    try:
        clear(inner)
    finally:
        os.close(inner)
    os.rmdir(name, dir_fd=directory)
