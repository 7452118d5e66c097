"""The machine a number was measured on, and how busy others kept it just before."""

from __future__ import annotations

import os
import platform
import time
from dataclasses import dataclass
from pathlib import Path

STAT, MEMORY, PROCESSORS = Path("/proc/stat"), Path("/proc/meminfo"), Path("/proc/cpuinfo")
GLANCE = 1.0  # seconds


@dataclass(frozen=True)
class Machine:
    system: str
    python: str
    cpus: int
    cpu: str
    memory_mb: int
    load_average: float
    """Over the last minute, before the run."""
    idle: float | None
    """Share of all CPUs that nobody used in the second before the run."""

    @classmethod
    def look(cls) -> Machine:
        return cls(
            system=f"{platform.system()} {platform.release()}",
            python=platform.python_version(),
            cpus=os.cpu_count() or 1,
            cpu=_field(PROCESSORS, "model name") or platform.machine(),
            memory_mb=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 1024**2,
            load_average=round(os.getloadavg()[0], 2),
            idle=_idle_share(),
        )

    @property
    def sentence(self) -> str:
        idle = f"{self.idle:.0%} idle" if self.idle is not None else "idle share unknown"
        where = f"{self.cpus} × {self.cpu}, {self.memory_mb} MB, {self.system}, Python {self.python}"
        return f"{where}\nbefore the run: load {self.load_average:.2f}, {idle}"


def _idle_share() -> float | None:
    if not STAT.exists():
        return None
    before = _ticks()
    time.sleep(GLANCE)
    idle, total = (after - earlier for after, earlier in zip(_ticks(), before, strict=True))
    return round(idle / total, 3) if total else None


def _ticks() -> tuple[int, int]:
    """Idle and total, since the machine started. Waiting for the disk is idle too."""
    ticks = [int(part) for part in STAT.read_text().partition("\n")[0].split()[1:9]]
    return ticks[3] + ticks[4], sum(ticks)


def _field(file: Path, name: str) -> str | None:
    if not file.exists():
        return None
    found = (line.partition(":")[2].strip() for line in file.read_text().splitlines() if line.startswith(name))
    return next(found, None)
