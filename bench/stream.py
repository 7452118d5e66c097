"""1,000 readers of the event stream on one process: all get all events; what that takes in CPU, memory and time."""

from __future__ import annotations

import argparse
import asyncio

from bench.house import running
from bench.listening import listening
from bench.measure import cpu_of, memory_of, note, percentile
from bench.outbox import address_of
from bench.report import Result, at_most
from bench.ticking import tick
from hq.database.embedded import scratch_home


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--readers", type=int, default=1_000, help="how many follow (default: 1000)")
    parser.add_argument("--events", type=int, default=100, help="how many events in all (default: 100)")
    parser.add_argument("--rate", type=float, default=5.0, help="events a second (default: 5)")


def run(options: argparse.Namespace) -> list[Result]:
    with scratch_home() as home, running(home) as house:
        token, address, server = (home / "token").read_text().strip(), address_of(home), [house.process.pid]
        asyncio.run(tick(address, token, 10, 5))
        before = memory_of(server)
        note(f"{options.readers} readers connect")
        with listening(house.url, token, options.readers, options.events) as listeners:
            connected, cpu = memory_of(server), cpu_of(server)
            note(f"{options.events} events at {options.rate:g} a second")
            committed = asyncio.run(tick(address, token, options.rate, options.events))
            heard = listeners.heard()
            cpu, memory = cpu_of(server) - cpu, memory_of(server)
        house.stop()
    taken = [max(0.0, at - committed[n]) * 1000 for seen in heard.readers for n, at in seen]
    seconds = max(committed) - min(committed)
    return [
        at_most(0, what="missed, twice or out of order", value=float(heard.amiss(options.events)), unit="events"),
        Result(what="readers", value=float(len(heard.readers)), unit="readers"),
        Result(what="p50 from commit to reader", value=percentile(taken, 0.5), unit="ms"),
        Result(what="p95 from commit to reader", value=percentile(taken, 0.95), unit="ms"),
        Result(what="slowest", value=max(taken), unit="ms"),
        Result(what="CPU of the server per event and reader", value=cpu / len(taken) * 1e6, unit="µs"),
        Result(what="CPU of the server meanwhile", value=cpu / seconds * 100, unit="% of one"),
        Result(what="memory per reader", value=max(0.0, connected - before) / options.readers * 1024, unit="kB"),
        at_most(400, what="memory of the server", value=memory, unit="MB"),
    ]
