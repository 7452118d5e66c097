"""One NOTIFY after many commits. Inside the transactions it would make them queue for each other."""

from __future__ import annotations

import asyncio
from typing import Any

import psycopg
from psycopg_pool import AsyncConnectionPool, PoolTimeout

CHANNEL = "hq_outbox"
WORK = "hq_work"
"""Told whenever there is a session to be worked on."""
PAUSE = 0.01


class Waker:
    """The first goes out at once; whatever comes within the pause after it shares the next one."""

    def __init__(self, pool: AsyncConnectionPool[Any], channel: str = CHANNEL) -> None:
        self._pool = pool
        self._channel = channel
        self._wanted = False
        self._task: asyncio.Task[None] | None = None

    def wake(self) -> None:
        self._wanted = True
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._notify())

    async def flush(self) -> None:
        if self._task is not None:
            await self._task

    async def _notify(self) -> None:
        while self._wanted:
            self._wanted = False
            try:
                async with self._pool.connection() as conn:
                    await conn.execute("select pg_notify(%s, '')", [self._channel])
            except (psycopg.Error, PoolTimeout):
                return  # a slow sweep finds it
            await asyncio.sleep(PAUSE)
