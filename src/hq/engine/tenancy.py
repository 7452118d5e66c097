"""Work on one company's rows outside a call: the machine's own bookkeeping, never the graph or the ledger."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, LiteralString, TypeVar
from uuid import UUID

from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool

from hq.database.rows import RowReader

R = TypeVar("R")
Pool = AsyncConnectionPool[AsyncConnection[Any]]


@asynccontextmanager
async def inside(pool: Pool, tenant: UUID) -> AsyncIterator[RowReader]:
    """One transaction in which only this company's rows are there."""
    async with pool.connection() as conn, conn.transaction():
        await conn.execute("select set_config('hq.tenant', %s, true)", [str(tenant)])
        yield RowReader(conn)


@asynccontextmanager
async def outside(pool: Pool) -> AsyncIterator[RowReader]:
    """For questions that concern no company's rows."""
    async with pool.connection() as conn:
        yield RowReader(conn)


async def rows(pool: Pool, query: LiteralString, values: Any = None, *, into: type[R]) -> list[R]:
    """Such a question by itself."""
    async with outside(pool) as reader:
        return await reader.rows(query, values, into=into)
