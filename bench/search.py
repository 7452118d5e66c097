"""Search among many messages: a company with nearly all of them and one with a few, now, in the past, while writing."""

from __future__ import annotations

import argparse
import asyncio
import random
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID

import psycopg
import uvloop

from bench.corpus import Corpus, make_corpus
from bench.database import Company, durable_server, found_company
from bench.finding import Finding, finding
from bench.measure import note, percentile, spending
from bench.report import Result, at_most
from hq.app import catalogue
from hq.clock import SystemClock
from hq.database.queries import beside
from hq.engine.announcer import Announcer
from hq.engine.indexer import Indexer

SQL = beside(__file__)
TARGET = 40.0  # ms
WARM = 15
WRITES = 20  # a second, beside the searches
LARGE, SMALL = "a 99 % tenant", "a 0.5 % tenant"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--nodes", type=int, default=100_000, help="messages in all (default: 100000)")
    parser.add_argument("--searches", type=int, default=200, help="how many of each kind (default: 200)")


def run(options: argparse.Namespace) -> list[Result]:
    with durable_server() as server, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        company = found_company(server, "search")
        return runner.run(_measure(company, options.nodes, options.searches))


async def _measure(company: Company, nodes: int, searches: int) -> list[Result]:
    async with finding(company) as hq:
        corpus = await make_corpus(hq, company, nodes)
        with spending() as spent:
            await hq.catch_up()
        note(f"{nodes:,} messages indexed and embedded in {spent.wall:.0f} s, {nodes / spent.wall:.0f} a second")
        return await time_searches(hq, corpus, searches)


async def time_searches(hq: Finding, corpus: Corpus, searches: int) -> list[Result]:
    raw = _raw(hq.company, corpus, searches)
    then = corpus.middle.isoformat()
    told: list[Result] = []
    for who, token in ((LARGE, corpus.large), (SMALL, corpus.small)):
        told += _told(who, await _walls(hq, corpus, token, searches), raw[who])
        told += _told(f"{who}, as of a past moment", await _walls(hq, corpus, token, searches, at=then), raw[who])
    async with _writing(hq, corpus):
        for who, token in ((LARGE, corpus.large), (SMALL, corpus.small)):
            told += _told(f"{who}, while writing", await _walls(hq, corpus, token, searches), raw[who])
    return told


async def _walls(hq: Finding, corpus: Corpus, token: str, searches: int, at: str | None = None) -> list[float]:
    """Milliseconds of each search; the words are another message's each time."""
    dice, walls = random.Random(11), []
    for turn in range(WARM + searches):
        query = corpus.query(dice)
        started = time.perf_counter()
        await hq.do("graph.search", token=token, at=at, query=query)
        if turn >= WARM:
            walls.append((time.perf_counter() - started) * 1000)
    return walls


@asynccontextmanager
async def _writing(hq: Finding, corpus: Corpus) -> AsyncIterator[None]:
    """Messages come in all the time, and the duties bring them into the index."""
    url = hq.company.address.app_url
    duties = [
        asyncio.create_task(Announcer(url, SystemClock()).run()),
        asyncio.create_task(Indexer(url, catalogue(), SystemClock(), hq.embedders).run()),
        asyncio.create_task(_write(hq, corpus)),
    ]
    try:
        yield
    finally:
        for duty in duties:
            duty.cancel()
        await asyncio.gather(*duties, return_exceptions=True)


async def _write(hq: Finding, corpus: Corpus) -> None:
    dice = random.Random(13)
    while True:
        body = dice.choice(corpus.texts)
        await hq.do("interaction.log", channel="chat", direction="internal", body=body, thread_id="live")
        await asyncio.sleep(1 / WRITES)


def _raw(company: Company, corpus: Corpus, searches: int) -> dict[str, list[float]]:
    """The same words asked of a plain table with a full-text index, in one statement, without anything of hq."""
    dice = random.Random(11)
    found: dict[str, list[float]] = {LARGE: [], SMALL: []}
    with psycopg.connect(company.address.url, autocommit=True) as owner:
        owner.execute(SQL["plain_table"])
        owner.execute(SQL["plain_index"])
        owner.execute("vacuum (analyze) plain_messages")
        tenants: list[UUID] = [row[0] for row in owner.execute(SQL["plain_tenants"]).fetchall()]
        for _ in range(searches):
            words = " | ".join(corpus.query(dice).split())
            for who, tenant in zip((LARGE, SMALL), tenants, strict=False):
                with spending() as spent:
                    owner.execute(SQL["plain_search"], {"words": words, "tenant": tenant}).fetchall()
                found[who].append(spent.wall * 1000)
    return found


def _told(who: str, walls: list[float], raw: list[float]) -> list[Result]:
    against = "full-text search of a plain table"
    return [
        Result(what=f"search p50, {who}", value=percentile(walls, 0.5), unit="ms", raw=percentile(raw, 0.5), against=against),
        at_most(TARGET, what=f"search p95, {who}", value=percentile(walls, 0.95), unit="ms", raw=percentile(raw, 0.95),
                against=against),
    ]  # fmt: skip
