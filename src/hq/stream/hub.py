"""Hub: passes announced events, and news of sessions' steps, on to everyone in this process who follows them. One
connection listens for all.

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
from psycopg_pool import PoolTimeout

from hq.clock import Clock
from hq.database.connection import ListeningConnection
from hq.database.queries import beside
from hq.database.rows import RowReader
from hq.door.waker import STEPS, named
from hq.engine.duty import NEWS
from hq.errors import Outage
from hq.stream.buffer import Buffer
from hq.stream.cursor import Cursor
from hq.stream.event import EventPage, Pool, read_page
from hq.stream.rows import LastStepsRow, LookOutRow
from hq.stream.subscription import Filter, Subscription
from hq.stream.topics import Topics

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
log = structlog.get_logger("hq.stream")


class Hub:
    def __init__(self, url: str, pool: Pool, clock: Clock) -> None:
        self._url = url
        self._pool = pool
        self._clock = clock
        self._line = 0
        self._buffers: dict[UUID, Buffer] = {}
        self._subscriptions: dict[UUID, set[Subscription]] = {}
        self._looked = asyncio.Event()
        self._reading = asyncio.Semaphore(READERS)
        self._task: asyncio.Task[None] | None = None
        self._closed = False
        self._left_at = 0.0
        self._steps: dict[UUID, LastStepsRow] = {}
        """How far the followed sessions were at the last sweep."""

    @property
    def closed(self) -> bool:
        """Whether it is over for everyone who follows anything."""
        return self._closed

    @property
    def readers(self) -> int:
        return sum(map(len, self._subscriptions.values()))

    @asynccontextmanager
    async def subscribe(self, filter: Filter) -> AsyncIterator[Subscription]:
        """Follow what the filter says, until its credential ends."""
        await self._at_work()
        tenant = filter.tenant
        buffer = self._buffers.setdefault(tenant, Buffer(Cursor.of_event(self._line)))
        made = Subscription(filter, buffer, self._read)
        self._subscriptions.setdefault(tenant, set()).add(made)
        try:
            yield made
        finally:
            self._left_at = time.monotonic()
            self._subscriptions[tenant].discard(made)
            if not self._subscriptions[tenant]:
                del self._subscriptions[tenant], self._buffers[tenant]

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
            async with asyncio.timeout(PATIENCE):
                await self._looked.wait()
        except TimeoutError:
            raise Outage("the database does not answer; try again in a moment") from None

    async def _run(self) -> None:
        while not self._idle():
            try:
                async with await ListeningConnection.connect(self._url, autocommit=True) as conn:
                    await self._listen(conn)
            except (psycopg.Error, PoolTimeout, OSError) as error:
                log.warning("the hub lost its connection", error=str(error).strip())
                self._tick()
                await asyncio.sleep(SWEEP)

    async def _listen(self, conn: ListeningConnection) -> None:
        await conn.execute(f"listen {NEWS}; listen {STEPS}")
        self._move(None)  # whatever was said before the connection was there
        looked_at = 0.0
        while not self._idle():
            if time.monotonic() - looked_at >= SWEEP:
                await self._sweep(conn)
                looked_at = time.monotonic()
            self._looked.set()
            self._tick()
            news = False
            for notice in await conn.news(SWEEP):
                if notice.channel == STEPS:
                    self._move(named(notice.payload))
                else:
                    news = True
            if news:
                await self._look(conn)

    async def _sweep(self, conn: AsyncConnection[Any]) -> None:
        """Find what a process that died did not say."""
        await self._look(conn)
        followed = {id: each.filter.tenant for each in self._everyone() for id in each.sessions}
        if not followed:
            return
        values = {"tenants": list(followed.values()), "sessions": list(followed)}
        found = await RowReader(conn).rows(SQL["last_steps"], values, into=LastStepsRow)
        steps = {row.session_id: row for row in found}
        self._move({id for id, last in steps.items() if self._steps.get(id) != last})
        self._steps = steps

    def _move(self, sessions: set[UUID] | None) -> None:
        for each in self._everyone():
            if each.sessions and (sessions is None or not each.sessions.isdisjoint(sessions)):
                each.move()

    def _idle(self) -> bool:
        return not self._subscriptions and time.monotonic() - self._left_at > LINGER

    async def _look(self, conn: AsyncConnection[Any]) -> None:
        """Fetch what was announced since, for those who follow, and see off those who may no longer."""
        followed = [(each.filter.tenant, each.filter.credential) for each in self._everyone()]
        found = await RowReader(conn).the_one(
            SQL["look_out"],
            {
                "line": min((buffer.upto.seq for buffer in self._buffers.values()), default=self._line),
                "tenants": [tenant for tenant, _ in followed],
                "credentials": [credential for _, credential in followed],
                "now": self._clock.now(),
            },
            into=LookOutRow,
        )
        self._line = found.line
        self._see_off(set(found.ended))
        news = set(found.tenants)
        for tenant, buffer in list(self._buffers.items()):
            if tenant in news:
                await self._fetch(tenant, buffer, found.line)
            else:
                buffer.append((), Cursor.of_event(found.line))

    async def _fetch(self, tenant: UUID, buffer: Buffer, line: int) -> None:
        while buffer.upto < Cursor.of_event(line):
            page = await read_page(self._pool, tenant, buffer.upto, line, EVERY_TOPIC, SCAN)
            buffer.append(page.events, page.upto)
            for each in self._subscriptions.get(tenant, ()):
                if each.wants(page.events):
                    each.wake()

    async def _read(self, tenant: UUID, after: Cursor, topics: Topics) -> EventPage:
        """For one who is behind."""
        async with self._reading:
            return await read_page(self._pool, tenant, after, self._line, topics, SCAN)

    def _see_off(self, ended: set[UUID]) -> None:
        for each in self._everyone() if ended else ():
            if each.filter.credential in ended:
                each.end("the credential was revoked or has expired")

    def _tick(self) -> None:
        for each in self._everyone():
            if each.beat_due:
                each.wake()

    def _everyone(self) -> list[Subscription]:
        return [each for some in self._subscriptions.values() for each in some]
