"""First start, warm start and end of `hq up`; memory and CPU of a company in which nothing happens."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.house import running
from bench.measure import child, cpu_of, family, median, memory_of, note, spending
from bench.report import Result, at_most
from hq.database.embedded import EmbeddedServer, scratch_home

SETTLE = 2.0  # seconds between the start and the first look at something idle
POSTGRES = "postgres alone"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--idle", type=float, default=10.0, help="seconds to watch it idle (default: 10)")
    parser.add_argument("--starts", type=int, default=3, help="how many warm starts (default: 3)")


@dataclass(frozen=True)
class Numbers:
    """Of hq, or of the database alone: seconds, MB, and the share of one CPU."""

    first: float
    warm: float
    stop: float
    memory: float
    idle: float


def run(options: argparse.Namespace) -> list[Result]:
    python = median([child([sys.executable, "-c", "pass"], os.environ).wall for _ in range(5)])
    note("postgres alone")
    with scratch_home() as home:
        raw = _postgres(home, options)
    note("hq up")
    with scratch_home() as home:
        hq = _hq(home, options)
    both = f"{POSTGRES} + python -c pass"
    return [
        at_most(15, what="first start", value=hq.first, unit="s", raw=raw.first + python, against=both),
        at_most(3, what="warm start", value=hq.warm, unit="s", raw=raw.warm + python, against=both),
        Result(what="stop", value=hq.stop, unit="s", raw=raw.stop, against=POSTGRES),
        at_most(400, what="idle memory", value=hq.memory, unit="MB", raw=raw.memory, against=POSTGRES),
        at_most(1, what="idle CPU", value=hq.idle * 100, unit="% of one", raw=raw.idle * 100, against=POSTGRES),
    ]


def _postgres(home: Path, options: argparse.Namespace) -> Numbers:
    server = EmbeddedServer(home)
    starts, stops = [], []
    for _ in range(1 + options.starts):
        if starts:
            with spending() as spent:
                server.stop()
            stops.append(spent.wall)
        with spending() as spent:
            server.start()
        starts.append(spent.wall)
    memory, idle = _idle([server.pid], options.idle)
    return Numbers(starts[0], median(starts[1:]), median(stops), memory, idle)


def _hq(home: Path, options: argparse.Namespace) -> Numbers:
    with running(home) as first:
        stops = [first.stop()]
    warm: list[float] = []
    for _ in range(options.starts - 1):
        with running(home) as again:
            warm.append(again.started_in)
            stops.append(again.stop())
    with running(home) as last:
        warm.append(last.started_in)
        memory, idle = _idle(last.roots, options.idle)
        stops.append(last.stop())
    return Numbers(first.started_in, median(warm), median(stops), memory, idle)


def _idle(roots: Sequence[int | None], seconds: float) -> tuple[float, float]:
    """Memory of these processes and their children, and the share of one CPU they took to do nothing."""
    time.sleep(SETTLE)
    cpu, started = cpu_of(family(*roots)), time.perf_counter()
    time.sleep(seconds)
    share = (cpu_of(family(*roots)) - cpu) / (time.perf_counter() - started)
    return memory_of(family(*roots)), share
