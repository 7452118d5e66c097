"""The router: wakes the sessions that settled events concern, and those whose moment has come. One leader at a time."""

from __future__ import annotations

from typing import Any

from psycopg import AsyncConnection

from hq.clock import Clock
from hq.door.waker import WORK
from hq.engine.duty import Duty

__all__ = ["WORK", "Router"]


class Router(Duty):
    name = "router"
    lock = 0x68715F72

    def __init__(self, url: str, clock: Clock) -> None:
        super().__init__(url)
        self._clock = clock

    async def run_once(self, conn: AsyncConnection[Any]) -> int:
        """Route what is settled. Returns how many sessions became ready; the workers are told."""
        row = await (await conn.execute("select ops.route(%s)", [self._clock.now()])).fetchone()
        ready = row[0] if row else 0
        if ready:
            await conn.execute("select pg_notify(%s, '')", [WORK])
        return 0  # everything there was is done: wait for news
