"""A connection that listens for a long time: whoever waits for news waits here."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from psycopg import AsyncConnection, Notify
from psycopg.abc import PQGen

INTERVAL = 60.0
Result = TypeVar("Result")


class ListeningConnection(AsyncConnection[Any]):
    """Waits for notices without looking up ten times a second, as psycopg does for the sake of Ctrl-C: asyncio has its
    own way for signals, and a house in which nothing happens costs nothing."""

    async def notifies(
        self, *, timeout: float | None = None, stop_after: int | None = None
    ) -> AsyncGenerator[Notify, None]:
        """What came together with the answer to the last command is in no socket any more to wake anybody: it is taken first."""
        many = 0
        while notice := self.pgconn.notifies():
            many += 1
            yield Notify(notice.relname.decode(), notice.extra.decode(), notice.be_pid)
        if stop_after is None or many < stop_after:
            async for each in super().notifies(timeout=timeout, stop_after=stop_after):
                yield each

    async def news(self, timeout: float) -> list[Notify]:
        """Wait for news, or so long: what was told, nothing where the time is over."""
        return [each async for each in self.notifies(timeout=timeout, stop_after=1)]

    @asynccontextmanager
    async def telling(self, hear: Callable[[], None]) -> AsyncIterator[asyncio.Task[None]]:
        """Have every notice heard, and the end of the connection, beside what is done meanwhile."""
        listening = asyncio.create_task(self._tell(hear))
        try:
            yield listening
            if listening.done():
                await listening  # says what became of the connection
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)

    async def _tell(self, hear: Callable[[], None]) -> None:
        try:
            async for _ in self.notifies():
                hear()
        finally:
            hear()

    async def wait(self, gen: PQGen[Result], interval: float = INTERVAL, timeout: float | None = None) -> Result:
        return await super().wait(gen, interval, timeout)
