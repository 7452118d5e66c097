"""A verb through the whole door against its bare transaction: round trips, CPU, time, and calls per second."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

import uvloop

from bench import plain
from bench.alone import Costs, Which, count_trips, time_calls
from bench.announcing import announcing
from bench.calls import BARE, DOOR, READS, ROWS, SHOWN, WRITES, opened
from bench.database import Company, durable_server, found_company
from bench.load import Done, Worker, run_together, workers
from bench.measure import cpu_of, note
from bench.report import Result, at_most
from hq.door.tx import Call

TRIPS, CPU = 3, 1.5  # what the door may add to the bare transaction: round trips, and milliseconds
TASKS = 60  # more than a list shows
MANY, PROCESSES = 16, 2
AGAINST = {BARE: "its bare transaction", ROWS: "the same rows, bare"}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--calls", type=int, default=100, help="calls of each kind in a round (default: 100)")
    parser.add_argument("--rounds", type=int, default=7, help="how many rounds (default: 7)")
    parser.add_argument("--seconds", type=float, default=2.0, help="length of each run under load (default: 2)")


@dataclass(frozen=True)
class Numbers:
    trips: dict[Which, float]
    costs: dict[Which, Costs]
    one: dict[Which, list[Done]]
    """Under load, one call at a time."""
    many: dict[Which, list[Done]]
    """Under load, many at a time, from several processes."""


def run(options: argparse.Namespace) -> list[Result]:
    with durable_server() as server:
        company = found_company(server, "door")
        _run(_furnish(company))
        plain.lay_out(company)
        with announcing(company) as announcer:
            trips = _run(count_trips(company))
            note("one call after the other")
            costs = _run(time_calls(company, server, options.rounds, options.calls))
            with workers(company, PROCESSES) as crew:
                note("calls per second, one at a time")
                one = _rates(crew[:1], 1, options.seconds)
                note(f"calls per second, {MANY} at a time on {PROCESSES} processes")
                before = cpu_of([announcer])
                many = _rates(crew, MANY, options.seconds)
                announced = (cpu_of([announcer]) - before) * 1000 / _calls(many)
    numbers = Numbers(trips, costs, one, many)
    return [
        *(result for verb in (*WRITES, *READS) for result in _results(verb, numbers)),
        Result(what=f"announcer, CPU per call at {MANY}", value=announced, unit="ms"),
    ]


def _results(verb: str, numbers: Numbers) -> list[Result]:
    trips, ours, bare = numbers.trips, numbers.costs[verb, DOOR], numbers.costs[verb, BARE]
    raw = ROWS if verb in WRITES else BARE
    rows, one, many = numbers.costs[verb, raw], numbers.one, numbers.many
    pairs = [
        ("CPU of Postgres", "ms", ours.server_cpu, rows.server_cpu),
        ("time, p50", "ms", ours.p50, rows.p50),
        ("time, p95", "ms", ours.p95, rows.p95),
        ("one at a time", "calls/s", _rate(one[verb, DOOR]), _rate(one[verb, raw])),
        (f"{MANY} on {PROCESSES} processes", "calls/s", _rate(many[verb, DOOR]), _rate(many[verb, raw])),
        (f"time at {MANY}, p95", "ms", _p95(many[verb, DOOR]), _p95(many[verb, raw])),
    ]
    against_rows = [_above(CPU, verb, "CPU of the caller", "ms", ours.caller_cpu, rows.caller_cpu, raw)]
    busy = f"CPU of the caller at {MANY}"
    return [
        _above(TRIPS, verb, "round trips", "trips", trips[verb, DOOR], trips[verb, BARE], BARE),
        _above(CPU, verb, "CPU of the caller", "ms", ours.caller_cpu, bare.caller_cpu, BARE),
        *(against_rows if raw == ROWS else ()),
        _above(CPU, verb, busy, "ms", _cpu(many[verb, DOOR]), _cpu(many[verb, raw]), raw),
        *(
            Result(what=f"{verb}, {what}", value=value, unit=unit, raw=limit, against=AGAINST[raw])
            for what, unit, value, limit in pairs
        ),
    ]


def _above(allowed: float, verb: str, what: str, unit: str, value: float, raw: float, way: str) -> Result:
    """What may be so much more than its raw limit. Only writes have that target."""
    named: dict[str, Any] = {
        "what": f"{verb}, {what}",
        "value": value,
        "unit": unit,
        "raw": raw,
        "against": AGAINST[way] + (f", + {allowed:g} allowed" if verb in WRITES else ""),
    }
    return at_most(raw + allowed, **named) if verb in WRITES else Result(**named)


def _rates(crew: list[Worker], concurrency: int, seconds: float) -> dict[Which, list[Done]]:
    ways = [(verb, way) for verb in WRITES for way in (DOOR, ROWS)] + [(v, w) for v in READS for w in (DOOR, BARE)]
    return {(verb, way): run_together(crew, verb, way, concurrency, seconds) for verb, way in ways}


def _rate(done: list[Done]) -> float:
    return sum(each.rate for each in done)


def _cpu(done: list[Done]) -> float:
    return sum(each.cpu for each in done) * 1000 / sum(each.calls for each in done)


def _p95(done: list[Done]) -> float:
    return max(each.p95 for each in done)


def _calls(runs: dict[Which, list[Done]]) -> int:
    return sum(each.calls for (_, way), done in runs.items() if way == DOOR for each in done)


async def _furnish(company: Company) -> None:
    """Something to read."""
    async with opened(company) as door:
        for index in range(TASKS):
            named = {"slug": SHOWN} if index == 0 else {}
            await door.call(Call("task.create", {"title": f"Task {index}", **named}, company.token))


def _run(work: Coroutine[Any, Any, Any]) -> Any:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)
