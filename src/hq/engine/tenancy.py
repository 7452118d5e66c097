"""Work on one company's rows outside a call: the machine's own bookkeeping, never the graph or the ledger."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, LiteralString
from uuid import UUID

from psycopg import AsyncConnection, AsyncCursor
from psycopg.rows import namedtuple_row
from psycopg_pool import AsyncConnectionPool

Pool = AsyncConnectionPool[AsyncConnection[Any]]


@asynccontextmanager
async def inside(pool: Pool, tenant: UUID) -> AsyncIterator[AsyncCursor[Any]]:
    """One transaction in which only this company's rows are there."""
    async with pool.connection() as conn, conn.transaction(), conn.cursor(row_factory=namedtuple_row) as cursor:
        await cursor.execute("select set_config('hq.tenant', %s, true)", [str(tenant)])
        yield cursor


async def rows(pool: Pool, query: LiteralString, values: Any = None) -> list[Any]:
    """A question that concerns no company's rows."""
    async with pool.connection() as conn, conn.cursor(row_factory=namedtuple_row) as cursor:
        await cursor.execute(query, values)
        return await cursor.fetchall()
