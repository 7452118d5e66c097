"""Reads of the past against the same reads of the present, and whether they all find their way by an index."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any, LiteralString
from uuid import UUID

import psycopg
from psycopg import AsyncConnection

from bench.history import SQL, Past
from bench.measure import median, spending
from hq.app import catalogue
from hq.graph.moment import FAR, AsOf
from hq.graph.records import Stored
from hq.graph.store import Graph
from hq.graph.view import NodeFilter

WARM = 15  # the driver prepares after five, the server decides on a plan after five more
PATIENCE = 15.0  # seconds for one kind of read, however slow
PRESENT = "now"
Read = Callable[[Graph], Awaitable[Any]]


def moments(past: Past) -> dict[str, AsOf | None]:
    """How a moment is named: both times, or what is true now as it was believed then."""
    now = datetime.now(UTC)
    return {
        PRESENT: None,
        "as of a time": AsOf(past.moment, past.moment),
        "as of a sequence": AsOf(past.moment, FAR, past.seq),
        "of now as known at a time": AsOf(now, past.moment),
        "of now as known at a sequence": AsOf(now, FAR, past.seq),
    }


def kinds(past: Past) -> dict[str, Read]:
    def get(node: UUID) -> Read:
        return lambda graph: graph.look_up(node)

    return {
        "get": get(past.task),
        "get hot": get(past.hot),
        "list of 50": lambda graph: graph.find(NodeFilter(types=["task"], limit=50)),
    }


async def time_reads(past: Past, reads: int) -> dict[tuple[str, str], float]:
    """Milliseconds by (kind, moment), in turns, so that a busy moment touches all of them."""
    async with _reading(past) as conn:
        found = {}
        for kind, read in kinds(past).items():
            graphs = {name: Graph(conn, catalogue(), datetime.now(UTC), None, at) for name, at in moments(past).items()}
            walls: dict[str, list[float]] = {name: [] for name in graphs}
            until = time.monotonic() + PATIENCE
            for turn in range(WARM + reads):
                for name, graph in graphs.items():
                    with spending() as spent:
                        found_one = await read(graph)
                    assert found_one, f"{kind} {name} found nothing"
                    if turn >= WARM or time.monotonic() > until:
                        walls[name].append(spent.wall * 1000)
                if time.monotonic() > until:
                    break
            found |= {(kind, name): median(times) for name, times in walls.items()}
    return found


async def count_plans_that_scan(past: Past) -> int:
    """How many of these reads would go through the whole history, as the planner tells the product's role."""
    plans: list[Any] = []
    async with _reading(past) as conn:
        for read in kinds(past).values():
            for at in moments(past).values():
                await read(Explained(conn, plans, at))
    return sum(any(_scans(node) for node in _nodes(plan)) for plan in plans)


def count_scans(past: Past) -> int:
    """How often the history was read from end to end so far. Counts what sessions did that have ended."""
    with psycopg.connect(past.company.address.app_url) as conn:
        row = conn.execute(SQL["scans"]).fetchone()
    return row[0] if row else 0


class Explained(Graph):
    """Asks for the plan of each read instead of its rows."""

    def __init__(self, conn: AsyncConnection[Any], plans: list[Any], as_of: AsOf | None) -> None:
        super().__init__(conn, catalogue(), datetime.now(UTC), None, as_of)
        self.plans = plans

    async def _rows_of(self, query: LiteralString, values: Any) -> list[Stored[Any]]:
        row = await (await self.conn.execute("explain (format json) " + query, values)).fetchone()
        assert row is not None
        self.plans.append(row[0][0]["Plan"])
        return []


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for part in plan.get("Plans", ()):
        yield from _nodes(part)


def _scans(node: dict[str, Any]) -> bool:
    return node["Node Type"] == "Seq Scan" and node.get("Relation Name") == "versions"


@asynccontextmanager
async def _reading(past: Past) -> AsyncIterator[AsyncConnection[Any]]:
    """One transaction of the product's role, for this company."""
    async with await AsyncConnection[Any].connect(past.company.address.app_url, autocommit=True) as conn:
        async with conn.transaction():
            await conn.execute("select set_config('hq.tenant', %s, true)", [str(past.company.tenant)])
            yield conn
