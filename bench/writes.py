"""Writes with history, one transaction each, against the same columns written into a plain table."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from typing import Any
from uuid import UUID

from psycopg import AsyncClientCursor, AsyncConnection

from bench.database import Company, server_cpu
from bench.history import SQL, Past
from bench.measure import mean, median, spending
from bench.plain import Plain
from hq.app import catalogue
from hq.business.types import Task
from hq.database.embedded import EmbeddedServer
from hq.graph.records import Stored
from hq.graph.store import Graph
from hq.ids import new_id

ROUNDS = 5
Write = Callable[[], Awaitable[None]]
STATES = ("todo", "in_progress")


@dataclass(frozen=True)
class Cost:
    """Milliseconds of one write: on the wall, and of CPU in the server."""

    wall: float
    server: float


async def time_writes(past: Past, server: EmbeddedServer, writes: int) -> dict[str, Cost]:
    """In turns, so that a busy moment touches all of them."""
    async with Plain.connected(past.company) as bare, Historian.connected(past.company) as graph:
        kinds: dict[str, Write] = {
            "insert": lambda: bare.write("task", _props()),
            "create": graph.create,
            "update": lambda: bare.change(past.task, "task", _props()),
            "change": lambda: graph.change(past.task),
            "change hot": lambda: graph.change(past.hot),
        }
        each = max(1, writes // ROUNDS)
        taken: dict[str, list[Cost]] = {kind: [] for kind in kinds}
        for _ in range(ROUNDS):
            for kind, write in kinds.items():
                taken[kind].append(await _timed(write, each, server))
    return {kind: _together(costs) for kind, costs in taken.items()}


async def _timed(write: Write, times: int, server: EmbeddedServer) -> Cost:
    await write()
    before, walls = server_cpu(server), []
    for _ in range(times):
        with spending() as spent:
            await write()
        walls.append(spent.wall * 1000)
    return Cost(median(walls), (server_cpu(server) - before) * 1000 / times)


def _together(costs: list[Cost]) -> Cost:
    """The kernel counts CPU in hundredths of a second, so only the mean of many says something."""
    return Cost(median([cost.wall for cost in costs]), mean([cost.server for cost in costs]))


_turn = count()


def _props(state: int = 0) -> dict[str, Any]:
    title = f"Task {next(_turn)} of the benchmark"
    return Task(title=title, status=STATES[state % 2], description="What the driver must know.").model_dump(mode="json")


@dataclass(frozen=True)
class Historian:
    """The graph on one connection of the product's role, with no door before it."""

    conn: AsyncConnection[Any]
    company: Company
    known: dict[UUID, Stored[Any]] = field(default_factory=dict)
    """Nodes as they were last seen: a change is timed without the reading that a handler does before it."""

    @classmethod
    @asynccontextmanager
    async def connected(cls, company: Company) -> AsyncIterator[Historian]:
        async with await AsyncConnection[Any].connect(company.address.app_url, autocommit=True) as conn:
            yield cls(conn, company)

    async def create(self) -> None:
        async with self._writing() as graph:
            await graph.create(Task.model_validate(_props()))

    async def change(self, node_id: UUID) -> None:
        async with self._writing() as graph:
            node = self.known.get(node_id) or await graph.get(node_id)
            self.known[node_id] = await graph.change(node, _props(next(_turn)))

    @asynccontextmanager
    async def _writing(self) -> AsyncIterator[Graph]:
        now = datetime.now(UTC)
        values = {
            "tenant": str(self.company.tenant),
            "actor": self.company.actor,
            "action": str(new_id()),
            "now": now.isoformat(),
        }
        async with AsyncClientCursor(self.conn) as cursor:
            await cursor.execute(SQL["open"], values)
        yield Graph(self.conn, catalogue(), now, self.company.producer)
        await self.conn.execute("commit")
