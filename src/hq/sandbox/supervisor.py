"""Watches the limits that the kernel does not hold for a whole sandbox: processes, memory, disk.

One look reads /proc and the directories the program may write to. It is a matter of the machine: a program can be over a
limit for as long as it takes until the next look.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from hq.sandbox.job import Killer, ResourceUsage, SandboxLimits
from hq.sandbox.paths import DEEPEST, TooDeep, open_directory, open_top

LEAST = 4096
"""What an entry counts for on the disk, however small: a million empty files are not nothing."""
MEGABYTE = 1 << 20


@dataclass(frozen=True)
class LimitPassed:
    """A limit that was passed."""

    limit: Killer
    why: str


class Supervisor:
    """Looks at one sandbox, by the process that is the first in it."""

    def __init__(self, first: int, directories: Sequence[Path], limits: SandboxLimits) -> None:
        self._first = first
        self._directories = directories
        self._limits = limits
        self._devices = {directory.stat().st_dev for directory in directories}
        self.usage = ResourceUsage()

    def look(self, *, disk: bool) -> LimitPassed | None:
        """What is used now, and the first limit that is passed. The disk is not looked at every time."""
        pids = _descendants(self._first)
        on_disk, in_memory = self._unlinked(pids)
        memory = (sum(map(_resident, pids)) + in_memory) / MEGABYTE
        try:
            used = (sum(map(disk_use, self._directories)) + on_disk) / MEGABYTE if disk else self.usage.disk_mb
        except TooDeep as error:
            return LimitPassed("disk", error.message)
        self.usage = ResourceUsage(
            processes=max(self.usage.processes, len(pids)),
            memory_mb=max(self.usage.memory_mb, memory),
            disk_mb=max(self.usage.disk_mb, used),
        )
        if len(pids) > self._limits.processes:
            return LimitPassed("processes", f"it ran {len(pids)} processes; {self._limits.processes} are allowed")
        if memory > self._limits.memory_mb:
            return LimitPassed("memory", f"it used {memory:.0f} MB of memory; {self._limits.memory_mb} are allowed")
        if used > self._limits.disk_mb:
            return LimitPassed("disk", f"it used {used:.0f} MB of disk; {self._limits.disk_mb} are allowed")
        return None

    def _unlinked(self, pids: Sequence[int]) -> tuple[int, int]:
        """Bytes of files that have no name any more, or never had one: on the disk, and in memory."""
        seen: dict[tuple[int, int], int] = {}
        for pid in pids:
            for descriptor in _names(f"/proc/{pid}/fd"):
                with suppress(OSError):
                    found = os.stat(f"/proc/{pid}/fd/{descriptor}")
                    if stat.S_ISREG(found.st_mode) and found.st_nlink == 0:
                        seen[found.st_dev, found.st_ino] = found.st_blocks * 512
        disk = sum(size for (device, _), size in seen.items() if device in self._devices)
        return disk, sum(seen.values()) - disk


def disk_use(directory: Path) -> int:
    """Bytes below a directory, by what they take up. Follows no links."""
    return _below(open_top(directory), 0)


def _below(directory: int, depth: int) -> int:
    total = 0
    try:
        if depth > DEEPEST:
            raise TooDeep
        for entry in os.scandir(directory):
            with suppress(OSError):  # gone, or closed to us, in between
                found = entry.stat(follow_symlinks=False)
                total += max(found.st_blocks * 512, LEAST)
                if stat.S_ISDIR(found.st_mode):
                    total += _below(open_directory(entry.name, directory), depth + 1)
    finally:
        os.close(directory)
    return total


def _descendants(first: int) -> list[int]:
    """All processes but the first, which is bubblewrap's own and adopts every orphan."""
    found: list[int] = []
    todo = [first]
    while todo:
        children = list(_children(todo.pop()))
        found += children
        todo += children
    return found


def _children(pid: int) -> Iterator[int]:
    for thread in _names(f"/proc/{pid}/task"):
        with suppress(OSError):
            yield from map(int, Path(f"/proc/{pid}/task/{thread}/children").read_text().split())


def _names(directory: str) -> list[str]:
    try:
        return os.listdir(directory)
    except OSError:
        return []


def _resident(pid: int) -> int:
    """Bytes of memory, what it shares with others counted in parts."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("Pss:")), 0)
