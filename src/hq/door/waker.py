"""Waker: one NOTIFY after many commits. Inside the transactions it would make them queue for each other."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

import psycopg
from psycopg_pool import AsyncConnectionPool, PoolTimeout

CHANNEL = "hq_outbox"
WORK = "hq_work"
"""Told whenever there is a session to be worked on."""
STEPS = "hq_steps"
"""Told which sessions have a new step, or new words on their way."""
PAUSE = 0.01
MANY = 200
"""As many ids as a notice holds; more than that is told as all of them."""
ALL = "*"


class Waker:
    """The first goes out at once; whatever comes within the pause after it shares the next one."""

    def __init__(self, pool: AsyncConnectionPool[Any], channel: str = CHANNEL) -> None:
        self._pool = pool
        self._channel = channel
        self._wanted = False
        self._about: set[UUID] = set()
        self._task: asyncio.Task[None] | None = None

    def wake(self, about: UUID | None = None) -> None:
        self._wanted = True
        if about is not None:
            self._about.add(about)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._notify())

    async def flush(self) -> None:
        if self._task is not None:
            await self._task

    async def _notify(self) -> None:
        while self._wanted:
            self._wanted = False
            about, self._about = self._about, set()
            payload = ",".join(id.hex for id in about) if len(about) <= MANY else ALL
            try:
                async with self._pool.connection() as conn:
                    await conn.execute("select pg_notify(%s, %s)", [self._channel, payload])
            except (psycopg.Error, PoolTimeout):
                return  # a slow sweep finds it
            await asyncio.sleep(PAUSE)


def named(payload: str) -> set[UUID] | None:
    """The ids of a notice; None for all of them."""
    return None if payload == ALL else {UUID(hex=each) for each in payload.split(",") if each}
