"""Passes announced events on to everyone in this process who follows them: one connection listens for all.

It works while somebody follows, and for a little while after; a process in which nobody does has none of its costs.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any
from uuid import UUID

import psycopg
import structlog
from psycopg import AsyncConnection
from psycopg.rows import namedtuple_row
from psycopg_pool import PoolTimeout

from hq.clock import Clock
from hq.database.queries import beside
from hq.engine.announced import Page, Pool, read_page
from hq.engine.duty import NEWS
from hq.engine.log import Log
from hq.engine.position import Position
from hq.engine.subscription import Subscription
from hq.engine.topics import Topics
from hq.errors import Outage

SQL = beside(__file__)
SWEEP = 1.0
"""Seconds between looks that nobody asked for: they find what was not notified, and credentials that ended."""
LINGER = 30.0
PATIENCE = 10.0
MOST = 10_000
SCAN = 500
READERS = 4
"""How many may read from the database at the same time: those who are behind must not take every connection."""
EVERY_TOPIC = Topics()
log = structlog.get_logger("hq.feed")


class Feed:
    def __init__(self, url: str, pool: Pool, clock: Clock) -> None:
        self._url = url
        self._pool = pool
        self._clock = clock
        self._line = 0
        self._logs: dict[UUID, Log] = {}
        self._subscriptions: dict[UUID, set[Subscription]] = {}
        self._looked = asyncio.Event()
        self._reading = asyncio.Semaphore(READERS)
        self._task: asyncio.Task[None] | None = None
        self._closed = False
        self._left_at = 0.0

    @property
    def closed(self) -> bool:
        """Whether it is over for everyone who follows anything."""
        return self._closed

    @property
    def readers(self) -> int:
        return sum(map(len, self._subscriptions.values()))

    @asynccontextmanager
    async def subscribe(
        self, tenant: UUID, credential: UUID, topics: Topics, after: Position
    ) -> AsyncIterator[Subscription]:
        """Follow a company's events behind a position. Whose credential it is decides when it must end."""
        await self._at_work()
        known = self._logs.setdefault(tenant, Log(Position(self._line)))
        made = Subscription(tenant, credential, topics, after, known, self._read)
        self._subscriptions.setdefault(tenant, set()).add(made)
        try:
            yield made
        finally:
            self._left_at = time.monotonic()
            self._subscriptions[tenant].discard(made)
            if not self._subscriptions[tenant]:
                del self._subscriptions[tenant], self._logs[tenant]

    async def close(self) -> None:
        """Tell everyone that it is over, and stop."""
        self._closed = True
        for each in self._everyone():
            each.end("hq is stopping; come back in a moment")
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _at_work(self) -> None:
        if self._closed:
            raise Outage("hq is stopping; come back in a moment")
        if self.readers >= MOST:
            raise Outage(f"{MOST} streams are open already; close some of them")
        if self._task is None or self._task.done():
            self._looked.clear()
            self._left_at = time.monotonic()
            self._task = asyncio.create_task(self._run())
        try:
            await asyncio.wait_for(self._looked.wait(), PATIENCE)
        except TimeoutError:
            raise Outage("the database does not answer; try again in a moment") from None

    async def _run(self) -> None:
        while not self._idle():
            try:
                async with await AsyncConnection[Any].connect(self._url, autocommit=True) as conn:
                    await self._listen(conn)
            except (psycopg.Error, PoolTimeout, OSError) as error:
                log.warning("the feed lost its connection", error=str(error).strip())
                self._tick()
                await asyncio.sleep(SWEEP)

    async def _listen(self, conn: AsyncConnection[Any]) -> None:
        await conn.execute(f"listen {NEWS}")
        while not self._idle():
            await self._look(conn)
            self._looked.set()
            self._tick()
            async for _ in conn.notifies(timeout=SWEEP, stop_after=1):
                pass

    def _idle(self) -> bool:
        return not self._subscriptions and time.monotonic() - self._left_at > LINGER

    async def _look(self, conn: AsyncConnection[Any]) -> None:
        """Fetch what was announced since, for those who follow, and see off those who may no longer."""
        followed = [(each.tenant, each.credential) for each in self._everyone()]
        cursor = conn.cursor(row_factory=namedtuple_row)
        await cursor.execute(
            SQL["look_out"],
            {
                "line": min((log.upto.seq for log in self._logs.values()), default=self._line),
                "tenants": [tenant for tenant, _ in followed],
                "credentials": [credential for _, credential in followed],
                "now": self._clock.now(),
            },
        )
        found: Any = await cursor.fetchone()
        self._line = found.line
        self._see_off(set(found.ended))
        news = set(found.tenants)
        for tenant, known in list(self._logs.items()):
            if tenant in news:
                await self._fetch(tenant, known, found.line)
            else:
                known.append((), Position(found.line))

    async def _fetch(self, tenant: UUID, known: Log, line: int) -> None:
        while known.upto < Position(line):
            page = await read_page(self._pool, tenant, known.upto, line, EVERY_TOPIC, SCAN)
            known.append(page.events, page.upto)
            for each in self._subscriptions.get(tenant, ()):
                if each.wants(page.events):
                    each.wake()

    async def _read(self, tenant: UUID, after: Position, topics: Topics) -> Page:
        """For one who is behind."""
        async with self._reading:
            return await read_page(self._pool, tenant, after, self._line, topics, SCAN)

    def _see_off(self, ended: set[UUID]) -> None:
        for each in self._everyone() if ended else ():
            if each.credential in ended:
                each.end("the credential was revoked or has expired")

    def _tick(self) -> None:
        for each in self._everyone():
            if each.silent:
                each.wake()

    def _everyone(self) -> list[Subscription]:
        return [each for some in self._subscriptions.values() for each in some]
