"""Writes with history against plain ones, and the past against the present, with a short and a long history."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

import uvloop

from bench.database import durable_server
from bench.history import make_history
from bench.measure import note, spending
from bench.reads import PRESENT, count_plans_that_scan, count_scans, time_reads
from bench.report import Result, at_most, within
from bench.writes import Cost, time_writes
from hq.database.embedded import EmbeddedServer

SHORT = 1_000
PAIRS = (("create", "insert"), ("change", "update"), ("change hot", "update"))


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", type=int, default=1_000_000, help="length of the long history (default: 1000000)")
    parser.add_argument("--writes", type=int, default=250, help="how many writes of each kind (default: 250)")
    parser.add_argument("--reads", type=int, default=200, help="how many reads of each kind (default: 200)")


@dataclass(frozen=True)
class Numbers:
    """Everything measured on one history."""

    rows: int
    writes: dict[str, Cost]
    reads: dict[tuple[str, str], float]
    plans: int
    scans: int


def run(options: argparse.Namespace) -> list[Result]:
    with durable_server() as server:
        short, long = (_measure(server, rows, options) for rows in (SHORT, options.rows))
    return [
        *(result for numbers in (short, long) for result in (*_written(numbers), *_read(numbers))),
        *_compared(short, long),
        at_most(0, what=f"plans that scan the history, {_size(long)}", value=long.plans, unit="plans"),
        at_most(0, what=f"scans of the history in all reads, {_size(long)}", value=long.scans, unit="scans"),
    ]


def _measure(server: EmbeddedServer, rows: int, options: argparse.Namespace) -> Numbers:
    with spending() as spent:
        past = make_history(server, rows)
    note(f"a history of {rows:,} rows made in {spent.wall:.0f} s")
    before = count_scans(past)
    reads = _run(time_reads(past, options.reads))
    scans = count_scans(past) - before
    plans = _run(count_plans_that_scan(past))
    writes = _run(time_writes(past, server, options.writes))
    return Numbers(rows, writes, reads, plans, scans)


def _written(numbers: Numbers) -> list[Result]:
    found = []
    for kind, bare in PAIRS:
        ours, raw = numbers.writes[kind], numbers.writes[bare]
        what, against = f"{kind} with history, {_size(numbers)}", f"plain {bare}"
        found.append(Result(what=what, value=ours.wall, unit="ms", raw=raw.wall, against=against))
        found.append(Result(what=what, value=ours.server, unit="ms CPU of Postgres", raw=raw.server, against=against))
    return found


def _read(numbers: Numbers) -> list[Result]:
    return [
        within(
            2,
            what=f"{kind} {moment}, {_size(numbers)}",
            value=value,
            unit="ms",
            raw=numbers.reads[kind, PRESENT],
            against=f"{kind} now",
        )
        for (kind, moment), value in numbers.reads.items()
        if moment != PRESENT
    ]


def _compared(short: Numbers, long: Numbers) -> list[Result]:
    against = f"the same with {_size(short)}"
    return [
        within(
            2, what=f"{kind} {moment}, long / short", value=value, unit="ms", raw=short.reads[which], against=against
        )
        for which, value in long.reads.items()
        for kind, moment in [which]
    ] + [
        Result(what=f"{kind}, long / short", value=cost.wall, unit="ms", raw=short.writes[kind].wall, against=against)
        for kind, cost in long.writes.items()
        if kind not in ("insert", "update")
    ]


def _size(numbers: Numbers) -> str:
    return f"{numbers.rows:,} rows"


def _run(work: Coroutine[Any, Any, Any]) -> Any:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)
