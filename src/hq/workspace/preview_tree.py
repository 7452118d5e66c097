"""The tree in which what was made is opened: exactly a snapshot, laid fresh each time, and beside it what the app keeps.

An app is strangers' code: whatever it wrote among its own files would run again under files that were taken back. So of that
only what is data by its name comes along, to where the snapshot has nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from hq.sandbox import paths
from hq.sandbox.machine import hand_over, own
from hq.workspace.snapshots.blobs import Blobs
from hq.workspace.snapshots.checkout import place

TREE, FRESH, BEFORE, KEPT = ".preview", ".preview.new", ".preview.old", ".preview-data"
"""No session is called so."""
DATA = re.compile(r".+\.(db|sqlite|sqlite3|json|jsonl|csv|tsv|txt)(-wal|-shm|-journal)?", re.IGNORECASE)


def tree_of(home: Path) -> Path:
    return home / TREE


def kept_of(home: Path) -> Path:
    return home / KEPT


def lay(home: Path, blobs: Blobs, snapshot: str) -> None:
    """While nothing runs there. Interrupted anywhere, the next time finds all that was kept."""
    tree, fresh, before = home / TREE, home / FRESH, home / BEFORE
    home.mkdir(mode=0o755, parents=True, exist_ok=True)
    if before.exists() and not tree.exists():
        before.rename(tree)
    paths.remove(before)
    paths.remove(fresh)
    fresh.mkdir(mode=0o755)
    place(blobs, fresh, None, snapshot, own)
    if tree.exists():
        _bring_along(tree, fresh)
        hand_over(fresh)
        tree.rename(before)
    else:
        hand_over(fresh)
    fresh.rename(tree)
    paths.remove(before)
    kept_of(home).mkdir(mode=0o755, exist_ok=True)
    kept = paths.open_top(kept_of(home))
    try:
        own(kept)
    finally:
        os.close(kept)


def _bring_along(old: Path, new: Path) -> None:
    source, target = paths.open_top(old), paths.open_top(new)
    try:
        for names in list(_data(source, [])):
            with suppress(OSError), paths.within(source, names[:-1]) as here:
                with paths.within(
                    target, names[:-1], make=True
                ) as there:  # where the snapshot has a file or a link, it does not go
                    os.link(names[-1], names[-1], src_dir_fd=here, dst_dir_fd=there, follow_symlinks=False)
    finally:
        os.close(source)
        os.close(target)


def _data(directory: int, above: list[str]) -> Iterator[list[str]]:
    """Data files in a tree, by their names from the top. Links are none."""
    with os.scandir(directory) as entries:
        found = sorted(
            (each.name, each.is_dir(follow_symlinks=False), each.is_file(follow_symlinks=False)) for each in entries
        )
    for name, is_directory, is_file in found:
        if is_file and DATA.fullmatch(name):
            yield [*above, name]
        elif is_directory and len(above) < paths.DEEPEST:
            inner = paths.open_directory(name, directory)
            try:
                yield from _data(inner, [*above, name])
            finally:
                os.close(inner)
