"""Capture of a directory as a snapshot. A file that did not change since the last one is not read again."""

from __future__ import annotations

import json
import os
import stat
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hq.sandbox.paths import DEEPEST, TooDeep, open_directory, open_file, open_top
from hq.workspace.snapshots.blobs import Blobs
from hq.workspace.snapshots.entries import Entry, put_entries

RESERVED = ".hq"
"""At the top of a tree, ours: not part of any snapshot."""
DOUBT = 100_000_000
"""Nanoseconds. A file changed so shortly before it was read may change again without its times showing it."""


@dataclass
class StatCache:
    """What files looked like when they were last read. Only a hint: lost, everything is read again."""

    file: Path | None = None
    files: dict[str, list[Any]] = field(default_factory=dict)

    @classmethod
    def load(cls, file: Path) -> StatCache:
        try:
            return cls(file, json.loads(file.read_bytes()))
        except (OSError, ValueError):
            return cls(file)

    def save(self) -> None:
        if self.file is None:
            return
        fresh = self.file.with_suffix(f".{os.getpid()}")
        fresh.write_bytes(json.dumps(self.files, separators=(",", ":")).encode())
        fresh.replace(self.file)


@dataclass
class CapturedSnapshot:
    snapshot: str = ""
    size: int = 0
    files: int = 0
    read: int = 0
    """How many files had to be read."""
    skipped: list[str] = field(default_factory=list)
    """What is neither file, directory nor link."""


def take(directory: Path, blobs: Blobs, remembered: StatCache | None = None) -> CapturedSnapshot:
    """The snapshot of a directory as it is now."""
    before = remembered or StatCache()
    taking = _Taking(blobs, before.files)
    top = taking.directory(open_top(directory), "", 0)
    blobs.settle()
    before.files = taking.seen
    before.save()
    taking.taken.snapshot, taking.taken.size = top.hash, top.size
    return taking.taken


class _Taking:
    def __init__(self, blobs: Blobs, before: dict[str, list[Any]]) -> None:
        self._blobs = blobs
        self._before = before
        self._began = time.time_ns() - DOUBT
        self.seen: dict[str, list[Any]] = {}
        self.taken = CapturedSnapshot()

    def directory(self, descriptor: int, path: str, depth: int) -> Entry:
        entries: dict[str, Entry] = {}
        try:
            if depth > DEEPEST:
                raise TooDeep
            with os.scandir(descriptor) as found:
                for each in found:
                    if depth == 0 and each.name == RESERVED:
                        continue
                    try:
                        entry = self._entry(each, descriptor, path + each.name, depth)
                    except FileNotFoundError:
                        continue  # gone in between
                    if entry:
                        entries[each.name] = entry
        finally:
            os.close(descriptor)
        return put_entries(self._blobs, entries)

    def _entry(self, each: os.DirEntry[str], directory: int, path: str, depth: int) -> Entry | None:
        found = each.stat(follow_symlinks=False)
        if stat.S_ISREG(found.st_mode):
            return self._file(each.name, directory, path, found)
        if stat.S_ISDIR(found.st_mode):
            return self.directory(open_directory(each.name, directory), path + "/", depth + 1)
        if stat.S_ISLNK(found.st_mode):
            target = os.fsencode(os.readlink(each.name, dir_fd=directory))
            return Entry("link", self._blobs.put(target), len(target))
        self.taken.skipped.append(path)
        return None

    def _file(self, name: str, directory: int, path: str, found: os.stat_result) -> Entry:
        self.taken.files += 1
        kind = "program" if found.st_mode & stat.S_IXUSR else "file"
        looks = [found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns]
        known = self._before.get(path)
        if known and known[:4] == looks:
            self.seen[path] = known
            return Entry(kind, known[4], found.st_size)
        descriptor = open_file(name, directory)
        try:
            hash_ = self._blobs.put_file(descriptor)
            after = os.fstat(descriptor)
        finally:
            os.close(descriptor)
        self.taken.read += 1
        unchanged = [after.st_ino, after.st_size, after.st_mtime_ns, after.st_ctime_ns] == looks
        if unchanged and found.st_ctime_ns < self._began:
            self.seen[path] = [*looks, hash_]
        return Entry(kind, hash_, after.st_size)
