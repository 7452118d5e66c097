"""From the commit of a message to the first instruction that reaches the agent's mind."""

from __future__ import annotations

import argparse
import asyncio
import time

import uvloop

from bench.calls import opened
from bench.database import Company, durable_server, found_company
from bench.measure import note, percentile
from bench.outbox import notified
from bench.report import Result, at_most
from bench.staffing import Quick, called, furnish, runner_on
from hq.engine.announcer import Announcer
from hq.engine.session_waker import SessionWaker

RAW = "one durable commit with NOTIFY, to LISTEN"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--wakes", type=int, default=200, help="how many messages, one after the other (default: 200)")


def run(options: argparse.Namespace) -> list[Result]:
    with durable_server() as server:
        company = found_company(server, "wakes")
        raw = asyncio.run(notified(company.address, 200))
        note(f"{options.wakes} messages")
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            taken = runner.run(_wakes(company, options.wakes))
    return [
        Result(what="wake, p50", value=percentile(taken, 0.5), unit="ms", raw=percentile(raw, 0.5), against=RAW),
        at_most(
            100, what="wake, p95", value=percentile(taken, 0.95), unit="ms", raw=percentile(raw, 0.95), against=RAW
        ),
    ]


async def _wakes(company: Company, count: int) -> list[float]:
    mind, taken = Quick(0), list[float]()
    async with opened(company) as door:
        await furnish(door, company)
        url = company.address.app_url
        works = [
            asyncio.create_task(work)
            for work in (
                Announcer(url, door.clock).run(),
                SessionWaker(url, door.clock).run(),
                runner_on(door, company, mind, 8).run(),
            )
        ]
        for number in range(count):
            text = f"wake {number}"
            await called(door, company, "agent.send", agent="scout", text=text)
            committed = time.perf_counter()
            while text not in mind.asked:
                await asyncio.sleep(0.0005)
            if number >= 5:  # the first ones find nothing prepared
                taken.append(max(0.0, mind.asked[text] - committed) * 1000)
        for work in works:
            work.cancel()
        await asyncio.gather(*works, return_exceptions=True)
    return taken
