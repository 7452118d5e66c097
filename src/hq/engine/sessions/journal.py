"""A session's journal: append-only, fenced, and all that is needed to go on after any crash."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from psycopg import AsyncConnection, errors
from psycopg.rows import namedtuple_row
from psycopg.types.json import Jsonb
from psycopg_pool import AsyncConnectionPool

from hq.clock import Clock
from hq.database.queries import beside
from hq.engine.sessions.leases import Claimed

SQL = beside(__file__)
Kind = Literal["open", "mind", "verb", "wait", "wake", "note", "close"]
HELD_BY_ANOTHER = "HQ001"


class Fenced(Exception):
    """Another worker holds the session by now; whoever hears this drops it and writes nothing more."""


@dataclass(frozen=True)
class Step:
    number: int
    kind: Kind
    payload: dict[str, Any]
    action_id: UUID | None
    at: datetime


class Journal:
    """The journal of one claimed session."""

    def __init__(self, pool: AsyncConnectionPool[AsyncConnection[Any]], claimed: Claimed, clock: Clock) -> None:
        self._pool = pool
        self._claimed = claimed
        self._clock = clock
        self.last = 0

    async def read(self) -> list[Step]:
        """Everything so far; the next step comes after it."""
        async with self._tenant() as conn, conn.cursor(row_factory=namedtuple_row) as cursor:
            await cursor.execute(SQL["steps"], {"session": self._claimed.id, "after": 0})
            rows: list[Any] = await cursor.fetchall()
        steps = [Step(r.step, r.kind, r.payload, r.action_id, r.created_at) for r in rows]
        self.last = steps[-1].number if steps else 0
        return steps

    async def append(self, kind: Kind, payload: dict[str, Any]) -> int:
        async with self._tenant() as conn:
            await self._append(conn, kind, payload)
        self.last += 1
        return self.last

    async def park(self, payload: dict[str, Any], things: Sequence[str], since: int, wake_at: datetime | None) -> str:
        """Write down what it waits for and lay it down. `queued` means that it happened already: go on."""
        async with self._tenant() as conn:
            await self._append(conn, "wait", payload)
            await conn.execute(
                SQL["park"],
                {"session": self._claimed.id, "things": list(things), "since": since, "wake_at": wake_at},
            )
        self.last += 1
        async with self._tenant() as conn, conn.cursor(row_factory=namedtuple_row) as cursor:
            await cursor.execute(SQL["let_go"], self._held())
            row: Any = await cursor.fetchone()
            return row.state

    async def take_messages(self) -> dict[str, Any] | None:
        """What was said to this thread since, now a step of its journal; nothing if nothing was."""
        async with self._tenant() as conn, conn.cursor(row_factory=namedtuple_row) as cursor:
            await cursor.execute(SQL["take_messages"], {**self._held(), "step": self.last + 1})
            row: Any = await cursor.fetchone()
        self.last += row.said is not None
        return row.said

    async def hand_back(self) -> None:
        async with self._tenant() as conn:
            await conn.execute(SQL["hand_back"], self._held())

    async def _append(self, conn: AsyncConnection[Any], kind: Kind, payload: dict[str, Any]) -> None:
        await conn.execute(
            SQL["append"],
            {**self._held(), "step": self.last + 1, "kind": kind, "action": None, "payload": Jsonb(payload)},
        )

    def _held(self) -> dict[str, Any]:
        return {"session": self._claimed.id, "holder": self._claimed.holder, "now": self._clock.now()}

    @asynccontextmanager
    async def _tenant(self) -> AsyncIterator[AsyncConnection[Any]]:
        async with self._pool.connection() as conn:
            try:
                async with conn.transaction():
                    await conn.execute(SQL["settle_in"], {"tenant": str(self._claimed.tenant_id)})
                    yield conn
            except errors.UniqueViolation as error:
                raise Fenced from error
            except errors.Error as error:
                if error.sqlstate == HELD_BY_ANOTHER:
                    raise Fenced from error
                raise
