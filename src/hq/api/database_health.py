"""Health of the database, by a bounded look: what `/health` and `/metrics` tell of it. No tenant's data is touched."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import psycopg
import structlog
from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout

from hq.database.queries import beside
from hq.database.rows import RowReader

SQL = beside(__file__)
PATIENCE = 2.0
log = structlog.get_logger("hq.health")


@dataclass(frozen=True)
class Vitals:
    server: str
    schema: int
    lag: int
    """Calls that were begun and are not linked into the ledger's chain yet."""
    watermark: int
    beat_at: datetime | None


@dataclass(frozen=True)
class DatabaseLook:
    """What one look found; `vitals` is missing when nothing came back in time."""

    vitals: Vitals | None
    milliseconds: float
    trouble: str = ""


class Pulse:
    """Asks the database. While it does not answer, everyone who asks waits for the same question."""

    def __init__(self, pool: AsyncConnectionPool[AsyncConnection[Any]]) -> None:
        self._pool = pool
        self._asking: asyncio.Task[Vitals] | None = None

    async def look(self) -> DatabaseLook:
        started = time.perf_counter()
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._ask())
        # Not a timeout around the question: cancelling it would wait for the silent server once more.
        await asyncio.wait({self._asking}, timeout=PATIENCE)
        took = round((time.perf_counter() - started) * 1000, 2)
        if not self._asking.done():
            return DatabaseLook(None, took, f"no answer within {PATIENCE:g} s")
        if error := self._asking.exception():
            log.warning("the database could not be asked", error=str(error).strip())
            return DatabaseLook(None, took, _trouble(error))
        return DatabaseLook(self._asking.result(), took)

    async def _ask(self) -> Vitals:
        async with self._pool.connection(timeout=PATIENCE) as conn:
            return await RowReader(conn).the_one(SQL["vitals"], into=Vitals)


def _trouble(error: BaseException) -> str:
    """In general words, for this is told to anybody; the log has the particulars."""
    if isinstance(error, psycopg.OperationalError | PoolTimeout | PoolClosed):
        return "the database does not answer"
    return "the database answers with an error; `hq logs` has it"
