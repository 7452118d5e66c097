"""How time, CPU and memory are measured: of this process, of a child, of a family of processes."""

from __future__ import annotations

import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
TICK = 1 / os.sysconf("SC_CLK_TCK")

mean = statistics.mean
median = statistics.median


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest of the values that so large a share of them does not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


@dataclass
class Spent:
    """Seconds of a stretch of work: on the wall, and of CPU in this process."""

    wall: float = 0.0
    cpu: float = 0.0


@contextmanager
def spending() -> Iterator[Spent]:
    spent = Spent()
    wall, cpu = time.perf_counter(), time.process_time()
    try:
        yield spent
    finally:
        spent.cpu, spent.wall = time.process_time() - cpu, time.perf_counter() - wall


def child(command: Sequence[str], env: Mapping[str, str]) -> Spent:
    """Run a command to its end, its output thrown away: what it and the children it waited for took."""
    started = time.perf_counter()
    process = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"`{' '.join(command)}` ended with {process.returncode}")
    return Spent(wall, usage.ru_utime + usage.ru_stime)


def family(*pids: int | None) -> list[int]:
    """These processes and all that come from them."""
    parents = {pid: int(fields[1]) for pid, fields in _stats().items()}
    found = {pid for pid in pids if pid in parents}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return sorted(found)


def cpu_of(pids: Iterable[int]) -> float:
    """Seconds of CPU these processes and their dead children took so far."""
    stats = _stats()
    return sum(sum(map(int, stats[pid][11:15])) for pid in pids if pid in stats) * TICK


def memory_of(pids: Iterable[int]) -> float:
    """MB they hold, what they share counted once."""
    return sum(_proportional(pid) for pid in pids) / 1024


def note(text: str) -> None:
    """Say what is under way, where it is not in the way of the result."""
    print(f"… {text}", file=sys.stderr, flush=True)


def _proportional(pid: int) -> int:
    try:
        lines = (PROC / str(pid) / "smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def _stats() -> dict[int, list[str]]:
    """Of every process, the fields of its `stat` behind the name, which may hold anything."""
    found = {}
    for entry in PROC.iterdir():
        if entry.name.isdigit():
            try:
                found[int(entry.name)] = (entry / "stat").read_text().rpartition(") ")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue  # it ended in between
    return found
