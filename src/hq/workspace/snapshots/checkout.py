"""Checkout of a snapshot: a directory is brought from one to another; only what differs is touched."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from hq.sandbox.paths import clear, open_directory, open_top
from hq.workspace.snapshots.blobs import Blobs
from hq.workspace.snapshots.entries import NOTHING, Entries, Entry, below, get_entries

Owner = Callable[[int], None]
"""Hands what was made to whom it is for."""


def place(blobs: Blobs, directory: Path, before: str | None, after: str, owner: Owner = lambda _: None) -> None:
    """Make a directory that holds the one snapshot (nothing, if none) hold the other."""
    top = open_top(directory)
    try:
        was = get_entries(blobs, before) if before else NOTHING
        _place(blobs, top, was, get_entries(blobs, after), owner)
    finally:
        os.close(top)


def _place(blobs: Blobs, directory: int, before: Entries, after: Entries, owner: Owner) -> None:
    for name in before.keys() - after.keys():
        _remove(name, directory)
    for name, entry in after.items():
        old = before.get(name)
        if old == entry:
            continue
        if entry.kind == "directory":
            _directory(blobs, directory, name, old, entry, owner)
            continue
        if old and old.kind == "directory":
            _remove(name, directory)
        if entry.kind == "link":
            _link(blobs, directory, name, entry)
        else:
            _file(blobs, directory, name, entry, owner)


def _directory(blobs: Blobs, directory: int, name: str, old: Entry | None, entry: Entry, owner: Owner) -> None:
    if old and old.kind != "directory":
        _remove(name, directory)
    with suppress(FileExistsError):
        os.mkdir(name, 0o755, dir_fd=directory)
    inner = open_directory(name, directory)
    try:
        owner(inner)
        _place(blobs, inner, below(blobs, old), below(blobs, entry), owner)
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
