"""From a commit to somebody who follows events over HTTP, at 1, 100 and 1,000 events a second; nothing lost, in order."""

from __future__ import annotations

import argparse
import asyncio
import time
from pathlib import Path
from typing import Any

from psycopg import AsyncConnection

from bench.house import House, running
from bench.listening import listening
from bench.measure import note, percentile
from bench.report import Result, at_most
from bench.ticking import tick
from hq.database.address import Address
from hq.database.embedded import EmbeddedServer, scratch_home

RATES = (1, 100, 1_000)
RAW = "one durable commit with NOTIFY, to LISTEN"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seconds", type=float, default=10.0, help="how long at each rate (default: 10)")


def run(options: argparse.Namespace) -> list[Result]:
    results: list[Result] = []
    with scratch_home() as home, running(home) as house:
        address = address_of(home)
        raw = asyncio.run(notified(address, 200))
        for rate in RATES:
            note(f"{rate} events a second")
            results += _at(house, address, rate, max(5, int(rate * options.seconds)), raw)
        house.stop()
    return results


def address_of(home: Path) -> Address:
    return Address(EmbeddedServer(home).url, (home / "database.key").read_text().strip())


def _at(house: House, address: Address, rate: int, count: int, raw: list[float]) -> list[Result]:
    token = (house.home / "token").read_text().strip()
    with listening(house.url, token, 1, count) as listeners:
        committed = asyncio.run(tick(address, token, rate, count))
        heard = listeners.heard()
    [seen] = heard.readers
    # Calls that overlap have no order but the one they are told in; each must come, and come once.
    lost = len(set(range(count)) ^ {n for n, _ in seen}) + len(seen) - len({n for n, _ in seen})
    if rate <= 100 and heard.amiss(count):
        raise SystemExit("events came out of order")
    taken = [max(0.0, at - committed[n]) * 1000 for n, at in seen]
    reached = (count - 1) / max(max(committed) - min(committed), 1e-9)
    return [
        Result(what=f"reached at {rate}/s", value=reached, unit="events/s"),
        at_most(0, what=f"lost or twice at {rate}/s", value=float(lost), unit="events"),
        Result(what=f"p50 at {rate}/s", value=percentile(taken, 0.5), unit="ms", raw=percentile(raw, 0.5), against=RAW),
        at_most(
            30,
            what=f"p95 at {rate}/s",
            value=percentile(taken, 0.95),
            unit="ms",
            raw=percentile(raw, 0.95),
            against=RAW,
        ),
    ]


async def notified(address: Address, times: int) -> list[float]:
    """Milliseconds of the least there can be: who numbers events must have it on the disk before anybody is told."""
    taken: list[float] = []
    async with (
        await AsyncConnection[Any].connect(address.url, autocommit=True) as one,
        await AsyncConnection[Any].connect(address.url, autocommit=True) as other,
    ):
        await one.execute("create table public.bench_numbers (number integer)")
        await other.execute("listen hq_bench")
        for number in range(times):
            sent = time.perf_counter()
            await one.execute(f"insert into public.bench_numbers values ({number}); notify hq_bench".encode())
            async for _ in other.notifies(stop_after=1):
                pass
            taken.append((time.perf_counter() - sent) * 1000)
    return taken
