"""A session of five tool calls, journalled and durable, 16 at a time, against pydantic-ai bare and raw inserts."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

import psycopg
import uvloop
from psycopg import AsyncConnection

from bench.calls import opened
from bench.database import Company, durable_server, found_company, server_cpu
from bench.measure import note, spending
from bench.report import Result, at_least, at_most
from bench.staffing import DONE, Quick, furnish, queue, runner_on, turn_of
from hq.database.embedded import EmbeddedServer
from hq.engine.announcer import Announcer

CALLS = 5
STEPS = 1 + (CALLS + 1) + CALLS + 1
"""What a journal gets: the opening, each reply, each outcome, the end."""
AT_ONCE = 16
RAW = f"{STEPS} inserts, each committed"
BARE = "pydantic-ai alone, nothing kept"
BEST = 79
"""Runs a second of the best durable engine measured on such a machine before (DBOS); LangGraph with Postgres had 21."""


@dataclass(frozen=True)
class Ran:
    rate: float
    cpu: float
    """Milliseconds of this process a run."""
    server_cpu: float = 0.0


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--runs", type=int, default=400, help="how many sessions (default: 400)")


def run(options: argparse.Namespace) -> list[Result]:
    with durable_server() as server:
        company = found_company(server, "sessions")
        note("raw inserts")
        raw = _run(_inserts(server, options.runs))
        note("pydantic-ai alone")
        bare = _run(_alone(options.runs))
        note(f"{options.runs} sessions")
        ours = _run(_sessions(server, company, options.runs))
    return [
        at_least(BEST, what="runs", value=ours.rate, unit="runs/s", raw=raw.rate, against=RAW),
        Result(what="runs, against no durability", value=ours.rate, unit="runs/s", raw=bare.rate, against=BARE),
        at_most(12, what="CPU of the worker", value=ours.cpu, unit="ms/run", raw=bare.cpu, against=BARE),
        Result(what="CPU of Postgres", value=ours.server_cpu, unit="ms/run", raw=raw.server_cpu, against=RAW),
    ]


async def _sessions(server: EmbeddedServer, company: Company, runs: int) -> Ran:
    async with opened(company) as door:
        await furnish(door, company)
        # As in every house: without it what a read saw beyond the settled calls grows with each, and costs more than the read.
        announcing = asyncio.create_task(Announcer(company.address.app_url, door.clock).run())
        runner = runner_on(door, company, Quick(CALLS), AT_ONCE)
        await queue(door, company, AT_ONCE)
        await _until_done(runner, AT_ONCE)  # connections made, statements prepared
        await queue(door, company, runs)
        before = server_cpu(server)
        with spending() as spent:
            await _until_done(runner, runs)
        used = server_cpu(server) - before
        announcing.cancel()
        await asyncio.gather(announcing, return_exceptions=True)
    with psycopg.connect(company.address.url) as conn:
        row = conn.execute("select count(*) from ops.sessions where state = 'done'").fetchone()
    if not row or row[0] != runs + AT_ONCE:
        raise SystemExit(f"only {row and row[0]} of {runs + AT_ONCE} sessions were done")
    return Ran(runs / spent.wall, spent.cpu * 1000 / runs, used * 1000 / runs)


async def _until_done(runner: Any, runs: int) -> None:
    left, over = runs, asyncio.Event()

    def ended(claimed: Any, ended: Any) -> None:
        nonlocal left
        left -= 1
        if not left:
            over.set()

    runner.ended = ended
    working = asyncio.create_task(runner.run())
    await over.wait()
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)


async def _alone(runs: int) -> Ran:
    """The same conversation in pydantic-ai's own loop, with a tool that does nothing."""
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models.function import FunctionModel

    def answer(messages: list[Any], info: Any) -> ModelResponse:
        return ModelResponse(parts=[turn_of(sum(isinstance(m, ModelResponse) for m in messages), CALLS)])

    def task_show(ref: str) -> str:
        """Show a task."""
        return ref

    agent = Agent(FunctionModel(answer), tools=[task_show])

    async def some(count: int) -> None:
        for _ in range(count):
            assert (await agent.run("go")).output == DONE

    with spending() as spent:
        await asyncio.gather(*(some(runs // AT_ONCE or 1) for _ in range(AT_ONCE)))
    done = (runs // AT_ONCE or 1) * AT_ONCE
    return Ran(done / spent.wall, spent.cpu * 1000 / done)


async def _inserts(server: EmbeddedServer, runs: int) -> Ran:
    """The least that durability can cost: a row for each step, on the disk before the next."""
    async with await AsyncConnection[Any].connect(server.url, autocommit=True) as conn:
        await conn.execute("create table public.bench_steps (session integer, step integer, payload jsonb)")

    async def some(first: int, count: int) -> None:
        async with await AsyncConnection[Any].connect(server.url, autocommit=True, prepare_threshold=0) as conn:
            for number in range(first, first + count):
                for step in range(STEPS):
                    await conn.execute("insert into public.bench_steps values (%s, %s, '{}')", [number, step])

    each = runs // AT_ONCE or 1
    before = server_cpu(server)
    with spending() as spent:
        await asyncio.gather(*(some(n * each, each) for n in range(AT_ONCE)))
    done = each * AT_ONCE
    return Ran(done / spent.wall, spent.cpu * 1000 / done, (server_cpu(server) - before) * 1000 / done)


def _run(work: Coroutine[Any, Any, Ran]) -> Ran:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)
