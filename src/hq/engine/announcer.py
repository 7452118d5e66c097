"""The announcer: settles which calls are done, links the ledger's chain, and lets the rest know. One leader at a time."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from psycopg import AsyncConnection

from hq.clock import Clock
from hq.database.connection import ListeningConnection
from hq.database.rows import RowReader
from hq.door.waker import CHANNEL
from hq.engine.duty import Duty

SETTLING = 0.005
PACE = 0.01
"""Seconds between two announcements: many calls together cost little more than one, and the first never waits."""
BEAT = timedelta(seconds=30)
"""How often it says that it lives while there is nothing to do; `/health` counts on it."""
BATCH = 1_000
HORIZON = "select drawn, upper::text::bigint as upper, lower::text::bigint as lower from ops.horizon(%s)"


@dataclass(frozen=True, slots=True)
class HorizonRow:
    """The newest number that was drawn, and the transactions under way: which may have drawn it, which is the oldest."""

    drawn: int
    upper: int | None
    lower: int


@dataclass
class WatermarkFinder:
    """Finds the watermark: a number drawn before some transactions is settled once all of those are over."""

    seen: deque[tuple[int, int]] = field(default_factory=deque)
    watermark: int = 0

    @property
    def newest(self) -> int:
        """The newest number looked at; only a newer one is news."""
        return self.seen[-1][0] if self.seen else self.watermark

    def look(self, drawn: int, upper: int | None, lower: int) -> int:
        if upper is not None and drawn > self.newest:
            self.seen.append((drawn, upper))
        while self.seen and self.seen[0][1] <= lower:
            self.watermark = self.seen.popleft()[0]
        return self.watermark

    @property
    def unsettled(self) -> bool:
        return bool(self.seen)


class Announcer(Duty):
    name = "announcer"
    lock = 0x68715F61
    channel = CHANNEL

    def __init__(self, url: str, clock: Clock) -> None:
        super().__init__(url)
        self._clock = clock
        self._horizon = WatermarkFinder()
        self._announced = -1
        self._beat_at: datetime | None = None
        self.linked = asyncio.Event()
        """Set whenever something new was linked; whoever waits clears it."""

    @property
    def unsettled(self) -> bool:
        """Whether there are calls that may still be under way."""
        return self._horizon.unsettled

    async def lead(self, conn: ListeningConnection) -> None:
        self._announced = -1
        while True:
            if await self.run_once(conn):
                await asyncio.sleep(PACE)
            await (conn.news(SETTLING) if self.unsettled else self.idle(conn))

    async def run_once(self, conn: AsyncConnection[Any]) -> int:
        """Settle and link what there is. Returns how many calls were linked. Writes nothing when nothing happened."""
        before = self._horizon.newest
        watermark = await self._look(conn)
        if self._horizon.newest > before:  # most calls are over by the time they are told of: a second look proves it
            watermark = await self._look(conn)
        if watermark == self._announced and not self._beat_due():
            return 0
        total = await self._announce(conn, watermark)
        if total:
            self.linked.set()
        return total

    async def _look(self, conn: AsyncConnection[Any]) -> int:
        found = await RowReader(conn).the_one(HORIZON, [self._horizon.newest], into=HorizonRow)
        return self._horizon.look(found.drawn, found.upper, found.lower)

    async def _announce(self, conn: AsyncConnection[Any], watermark: int) -> int:
        now, total, many = self._clock.now(), 0, BATCH
        while many == BATCH:
            values = [watermark, BATCH, now]
            many = await RowReader(conn).the_scalar("select ops.announce(%s, %s, %s)", values, of=int)
            total += many
        self._announced, self._beat_at = watermark, now
        return total

    def _beat_due(self) -> bool:
        return self._beat_at is None or abs(self._clock.now() - self._beat_at) >= BEAT


async def announce_once(announcer: Announcer) -> int:
    """Link what there is, where nobody leads: after a command that worked on the database itself."""
    conn = await announcer.alone()
    if conn is None:
        return 0
    async with conn:
        return await announcer.run_once(conn)
