"""A duty, which one process at a time does for all of them: leadership, waiting for news, and starting over, in one
place."""

from __future__ import annotations

import asyncio
from typing import ClassVar, LiteralString

import psycopg
import structlog
from psycopg_pool import PoolTimeout

from hq.database.connection import ListeningConnection
from hq.database.rows import RowReader

NEWS = "hq_events"
"""Told by the announcer whenever there are new events."""
SETTLED = "hq_settled"
"""Told by the announcer whenever calls are settled, with events or without."""
log = structlog.get_logger("hq.duty")


class Duty:
    """Holds its own connection with a lock on it: losing the one loses the other, and another process takes over."""

    name: ClassVar[str]
    lock: ClassVar[int]
    channel: ClassVar[LiteralString] = NEWS
    pause: ClassVar[float] = 1.0
    """Seconds until the next look while there is no news; doubled each time, until `longest_pause`."""
    longest_pause: ClassVar[float] = 10.0
    """For how long at most something is overlooked that nobody told of: a process died before it could."""
    patience: ClassVar[float] = 1.0
    """Seconds between tries to lead."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._quiet = self.pause
        self.leading = False

    async def run(self) -> None:
        """Lead, or wait to lead, until cancelled. A lost connection is tried again."""
        try:
            while True:
                try:
                    await self._lead()
                except (psycopg.Error, PoolTimeout, OSError) as error:
                    log.warning("a duty lost its connection", duty=self.name, error=str(error).strip())
                self.leading = False
                await self.resign()
                await asyncio.sleep(self.patience)
        finally:
            await self.resign()

    async def run_once(self, conn: ListeningConnection) -> bool | int:
        """Do what there is to do. Anything but nothing means that there may be more."""
        raise NotImplementedError

    async def alone(self) -> ListeningConnection | None:
        """A connection that leads, if nobody else does: for a process that works on the database by itself."""
        conn = await self.connect()
        if await self.won(conn):
            return conn
        await conn.close()
        return None

    async def connect(self) -> ListeningConnection:
        return await ListeningConnection.connect(self._url, autocommit=True, prepare_threshold=1)

    async def won(self, conn: ListeningConnection) -> bool:
        return await RowReader(conn).the_scalar("select pg_try_advisory_lock(%s)", [self.lock], of=bool)

    async def resign(self) -> None:
        """Put away what leading has opened."""

    async def lead(self, conn: ListeningConnection) -> None:
        """What a leader does, over and over."""
        while True:
            if not await self.run_once(conn):
                await self.idle(conn)

    async def idle(self, conn: ListeningConnection, at_most: float | None = None) -> bool:
        """Wait for news, the longer the longer there was none. Says whether there is any."""
        told = bool(await conn.news(self._quiet if at_most is None else min(self._quiet, at_most)))
        self._quiet = self.pause if told else min(2 * self._quiet, max(self.pause, self.longest_pause))
        return told

    async def _lead(self) -> None:
        async with await self.connect() as conn:
            while not await self.won(conn):
                await asyncio.sleep(self.patience)
            await conn.execute("listen " + self.channel)
            self.leading, self._quiet = True, self.pause
            await self.lead(conn)
