"""What a mind is told before it answers: put together in a company that remembers little, and in one that remembers much."""

from __future__ import annotations

import argparse
import asyncio
import random
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import uvloop

from bench.corpus import make_texts
from bench.database import Company, durable_server, found_company
from bench.finding import Finding, finding
from bench.measure import note, percentile, spending
from bench.report import Result
from bench.talk import FOUNDERS, lengthen
from hq.context.window import EXCHANGES
from hq.database.embedded import EmbeddedServer
from hq.database.queries import beside
from hq.engine.sessions.journal import SQL as JOURNAL
from hq.engine.tenancy import inside

SQL = beside(__file__, "context.sql")
FEW = 1_000
FIRST = 10_000  # numbers below are the founding's
MARK = UUID("00000000-0000-7000-8000-000000000000")
WARM = 10
RAW = "a full-text search and the last steps, bare"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--memories", type=int, default=100_000, help="memories, and as many messages (default: 100000)"
    )
    parser.add_argument("--times", type=int, default=100, help="how often at each size (default: 100)")


def run(options: argparse.Namespace) -> list[Result]:
    with durable_server() as server, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        few = runner.run(_measured(server, FEW, options.times))
        many = runner.run(_measured(server, options.memories, options.times))
    return [*few.told(), *many.told(), few.grown_to(many)]


@dataclass(frozen=True)
class Measured:
    size: int
    ours: list[float]
    bare: list[float]

    def told(self) -> list[Result]:
        return [
            Result(
                what=f"a context, {self.size:,} memories and messages, p{share * 100:.0f}",
                value=percentile(self.ours, share),
                unit="ms",
                raw=percentile(self.bare, share),
                against=RAW,
            )
            for share in (0.5, 0.95)
        ]

    def grown_to(self, other: Measured) -> Result:
        return Result(
            what=f"a context, {other.size:,} instead of {self.size:,}, p50",
            value=percentile(other.ours, 0.5),
            unit="ms",
            raw=percentile(self.ours, 0.5),
            against=f"the same with {self.size:,}",
        )


async def _measured(server: EmbeddedServer, size: int, times: int) -> Measured:
    company = await asyncio.to_thread(found_company, server, f"context_{size}")
    texts = make_texts(random.Random(7), size)
    async with finding(company) as hq:
        await hq.do("agent.load")
        await hq.catch_up()
        _remember(company, texts)
        with spending() as spent:
            await hq.catch_up()
        note(f"{size:,} memories indexed in {spent.wall:.0f} s")
        _talk(company, size)
        asked = [_question(random.Random(n), texts) for n in range(WARM + times)]
        return Measured(size, await _ours(hq, asked), _bare(company, asked))


async def _ours(hq: Finding, asked: list[str]) -> list[float]:
    """What was said, as the session has it, and what the company knows of it, through the door."""
    session = (await hq.do("chat.status"))["session"]
    walls: list[float] = []
    for about in asked:
        started = time.perf_counter()
        async with inside(hq.door.pool, hq.company.tenant) as reader:
            steps = await (await reader.conn.execute(JOURNAL["steps"], {"session": session})).fetchall()
        context = await hq.do("context.show", agent="chief", about=about)
        walls.append((time.perf_counter() - started) * 1000)
        if len(steps) > 10 * EXCHANGES or "What the company knows" not in context["text"]:
            raise SystemExit("the context is not what it should be")
    return walls[WARM:]


def _bare(company: Company, asked: list[str]) -> list[float]:
    walls: list[float] = []
    with psycopg.connect(company.address.url, autocommit=True, prepare_threshold=1) as owner:
        row = owner.execute("select id from ops.sessions where name = %s", [FOUNDERS]).fetchone()
        assert row is not None
        talk = {"tenant": company.tenant, "session": row[0], "window": 3 * EXCHANGES}
        for about in asked:
            started = time.perf_counter()
            owner.execute(SQL["plain_talk"], talk).fetchall()
            owner.execute(SQL["plain_search"], {"words": " | ".join(about.split())}).fetchall()
            walls.append((time.perf_counter() - started) * 1000)
    return walls[WARM:]


def _remember(company: Company, texts: list[str]) -> None:
    values: dict[str, Any] = {
        "tenant": company.tenant,
        "producer": company.producer,
        "actor": company.actor,
        "first": FIRST,
        "mark": MARK,
        "start": datetime.now(UTC) - timedelta(days=1),
    }
    with psycopg.connect(company.address.url, autocommit=True, cursor_factory=psycopg.ClientCursor) as owner:
        owner.execute(SQL["lay_out"])
        with owner.cursor().copy("copy said from stdin") as copy:
            for nr, text in enumerate(texts):
                copy.write_row((nr, text))
        for query in ("write_actions", "write_versions", "show_nodes", "settle", "chain", "plain_table", "plain_index"):
            owner.execute(SQL[query], values)
        owner.execute("vacuum (analyze) graph.versions, graph.nodes, ops.agent_actions, plain_memories")


def _talk(company: Company, messages: int) -> None:
    values = {"tenant": company.tenant, "actor": company.actor, "name": FOUNDERS, "start": datetime.now(UTC)}
    with psycopg.connect(company.address.url, autocommit=True) as owner:
        owner.execute(SQL["begin_talk"], values)
        owner.execute(SQL["first_words"], values)
    lengthen(company.address.url, messages)


def _question(dice: random.Random, texts: list[str]) -> str:
    said = dice.choice(texts).split()
    return " ".join(dice.sample(said, min(6, len(said))))
