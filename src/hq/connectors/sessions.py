"""Open sessions with other servers. A program that was started for one call stays for the next ones, for a while."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from hq.connectors.client import Target, connected

if TYPE_CHECKING:
    from mcp import Client

IDLE = 60.0  # seconds of machine time that an unused program is kept


class Sessions:
    """One per process. Servers that are called over HTTP keep nothing running here, so theirs end with the call."""

    def __init__(self, idle: float = IDLE) -> None:
        self._idle = idle
        self._kept: dict[Target, Kept] = {}

    @asynccontextmanager
    async def use(self, target: Target) -> AsyncIterator[Client]:
        if target.url:
            async with connected(target) as client:
                yield client
            return
        kept = self._kept.get(target)
        if kept is None or kept.ended:
            kept = self._kept[target] = Kept(target, self._idle)
        try:
            async with kept.lent() as client:
                yield client
        except BaseException:  # whatever state it is in now, the next call gets a fresh one
            await kept.end()
            raise
        finally:
            self._kept = {key: each for key, each in self._kept.items() if not each.ended}

    async def close(self) -> None:
        for kept in list(self._kept.values()):
            await kept.end()
        self._kept.clear()


class Kept:
    """A session that a task of its own opens and closes, as its cancel scopes demand."""

    def __init__(self, target: Target, idle: float) -> None:
        self._idle = idle
        self._users = 0
        self._touched = asyncio.Event()
        self._ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._keep(target))

    @property
    def ended(self) -> bool:
        return self._task.done()

    @asynccontextmanager
    async def lent(self) -> AsyncIterator[Client]:
        self._users += 1
        try:
            yield await asyncio.shield(self._ready)
        finally:
            self._users -= 1
            self._touched.set()

    async def end(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _keep(self, target: Target) -> None:
        try:
            async with connected(target) as client:
                self._ready.set_result(client)
                while await self._used_meanwhile():
                    pass
        except Exception as error:
            if not self._ready.done():
                self._ready.set_exception(error)
        finally:
            self._ready.cancel()

    async def _used_meanwhile(self) -> bool:
        self._touched.clear()
        try:
            async with asyncio.timeout(self._idle):
                await self._touched.wait()
        except TimeoutError:
            return self._users > 0
        return True
