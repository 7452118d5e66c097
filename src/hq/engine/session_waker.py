"""The session waker: wakes the sessions that settled events concern, and those whose moment has come. One leader at a
time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg import AsyncConnection

from hq.clock import Clock
from hq.database.connection import ListeningConnection
from hq.database.rows import RowReader
from hq.door.waker import WORK
from hq.engine.duty import Duty

__all__ = ["WORK", "SessionWaker"]
ROUTE = "select ops.route(%s) as ready, ops.next_wake() as next_wake"


@dataclass(frozen=True, slots=True)
class RouteRow:
    ready: int
    """Sessions that may go on."""
    next_wake: datetime | None


class SessionWaker(Duty):
    name = "router"
    lock = 0x68715F72

    def __init__(self, url: str, clock: Clock) -> None:
        super().__init__(url)
        self._clock = clock
        self.next_wake: datetime | None = None
        """When one goes on by itself."""

    async def lead(self, conn: ListeningConnection) -> None:
        while True:
            await self.run_once(conn)
            wait = (self.next_wake - self._clock.now()).total_seconds() if self.next_wake else None
            await self.idle(conn, wait and max(0.01, wait))

    async def run_once(self, conn: AsyncConnection[Any]) -> int:
        """Route what is settled. Returns how many sessions became ready; the workers are told."""
        routed = await RowReader(conn).the_one(ROUTE, [self._clock.now()], into=RouteRow)
        self.next_wake = routed.next_wake
        if routed.ready:
            await conn.execute("select pg_notify(%s, '')", [WORK])
        return 0  # everything there was is done: wait for news
