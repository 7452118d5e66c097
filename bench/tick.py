"""One beat of the CEO's heart: a look at a company where nothing happened, over few missions and over many."""

from __future__ import annotations

import argparse
import asyncio
import time

import psycopg
import uvloop

from bench.calls import opened
from bench.database import Company, durable_server, found_company
from bench.measure import note, percentile
from bench.report import Result, at_most
from bench.staffing import called
from hq.ceo.heartbeat import JOBS
from hq.door.door import Door
from hq.jobs.runner import JobRunner

RAW = "one empty question to the same server"
# Nine in ten are over, as in a company that has worked for a while; the rest is under way or waits for nobody.
MISSIONS = """
insert into graph.nodes (tenant_id, id, type, slug, title, status, priority, props, producer_id, valid_from, created_at,
                         updated_at, made_seq, seq, action_id)
select %(tenant)s, gen_random_uuid(), 'mission', 'mission-' || n, 'Mission ' || n,
       state, 'medium', jsonb_build_object('title', 'Mission ' || n, 'status', state), %(producer)s, at, at, at, 1, 1,
       gen_random_uuid()
  from generate_series(1, %(many)s) n,
       lateral (select now() - interval '30 days' + n * interval '1 second' as at) t,
       lateral (select case when n %% 10 = 0 then 'in_progress' else 'done' end as state) s
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--missions", type=int, default=10_000, help="how many missions (default: 10000)")
    parser.add_argument("--looks", type=int, default=200, help="how many looks at each size (default: 200)")


def run(options: argparse.Namespace) -> list[Result]:
    with durable_server() as server, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        company = found_company(server, "ticks")
        return runner.run(_measured(company, options.missions, options.looks))


async def _measured(company: Company, missions: int, looks: int) -> list[Result]:
    async with opened(company) as door:
        await called(door, company, "agent.load")
        await JobRunner(company.address.app_url, door, {"heartbeat"}).run_due()
        raw = await _empty(door, looks)
        idle = await _looked(door, looks)
        note(f"{missions} missions")
        with psycopg.connect(company.address.url, autocommit=True) as owner:
            values = {"tenant": company.tenant, "producer": company.producer, "many": missions}
            owner.execute(MISSIONS, values)
            owner.execute("analyze graph.nodes")
        many = await _looked(door, looks)
    return [
        at_most(10, what="a look, idle, p50", value=percentile(idle, 0.5), unit="ms", raw=percentile(raw, 0.5), against=RAW),
        at_most(
            20, what=f"a look over {missions} missions, p50", value=percentile(many, 0.5), unit="ms",
            raw=percentile(idle, 0.5), against="the same, idle",
        ),
    ]  # fmt: skip


async def _looked(door: Door, looks: int) -> list[float]:
    taken = list[float]()
    (heartbeat,) = JOBS
    assert heartbeat.due is not None
    for n in range(looks + 5):
        started = time.perf_counter()
        assert not await heartbeat.due(door, door.clock.now())
        if n >= 5:  # the first ones find nothing prepared
            taken.append((time.perf_counter() - started) * 1000)
    return taken


async def _empty(door: Door, looks: int) -> list[float]:
    taken = list[float]()
    for _ in range(looks):
        started = time.perf_counter()
        async with door.pool.connection() as conn:
            await (await conn.execute("select 1")).fetchone()
        taken.append((time.perf_counter() - started) * 1000)
    return taken
