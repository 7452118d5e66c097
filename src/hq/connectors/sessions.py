"""Open sessions with other servers. A program that was started for one call stays for the next ones, for a while."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from hq.connectors.client import ConnectorTarget, connected
from hq.connectors.program import Programs
from hq.errors import Refused

if TYPE_CHECKING:
    from mcp import Client

IDLE = 60.0  # seconds of machine time that an unused program is kept
ENDING = 5.0  # seconds that programs have to end with the process


class Sessions:
    """One per process. Servers that are called over HTTP keep nothing running here, so theirs end with the call."""

    def __init__(self, programs: Programs, idle: float = IDLE) -> None:
        self.programs = programs
        self._idle = idle
        self._kept: dict[ConnectorTarget, PooledSession] = {}
        self._all: set[PooledSession] = set()

    @asynccontextmanager
    async def use(self, target: ConnectorTarget) -> AsyncIterator[Client]:
        if target.url:
            async with connected(target, self.programs) as client:
                yield client
            return
        kept = self._kept.get(target)
        if kept is None or kept.over:
            kept = self._begun(target)
        try:
            async with kept.lent() as client:
                yield client
        except BaseException as error:  # whatever state it is in now, the next call gets a fresh one
            if not isinstance(error, Refused) or error.code.name == "outage":
                kept.retire()
            raise

    def _begun(self, target: ConnectorTarget) -> PooledSession:
        made = self._kept[target] = PooledSession(target, self.programs, self._idle)
        self._all.add(made)
        made.task.add_done_callback(lambda _: self._forget(target, made))
        return made

    def _forget(self, target: ConnectorTarget, ended: PooledSession) -> None:
        self._all.discard(ended)
        if self._kept.get(target) is ended:
            del self._kept[target]

    async def close(self) -> None:
        for kept in list(self._all):
            kept.end()
        if self._all:
            await asyncio.wait([kept.task for kept in self._all], timeout=ENDING)


class PooledSession:
    """A session that a task of its own opens and closes, as its cancel scopes demand."""

    def __init__(self, target: ConnectorTarget, programs: Programs, idle: float) -> None:
        self._idle = idle
        self._users = 0
        self._over = False
        self._ending = False
        self._touched = asyncio.Event()
        self._ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self.task = asyncio.create_task(self._keep(target, programs))

    @property
    def over(self) -> bool:
        """It serves nobody new, though it may still be on its way out."""
        return self._over or self.task.done()

    @asynccontextmanager
    async def lent(self) -> AsyncIterator[Client]:
        self._users += 1
        try:
            yield await asyncio.shield(self._ready)
        finally:
            self._users -= 1
            self._touched.set()
            if self._over:
                self.retire()

    def retire(self) -> None:
        """Serve nobody new, and end with the last of those whose calls are still under way."""
        self._over = True
        if not self._users:
            self.end()

    def end(self) -> None:
        """Once: to be cancelled on its way out would leave it waiting for ever for a program that nobody stops any more."""
        if self._ending:
            return
        self._over = self._ending = True
        self._touched.set()
        if not self._ready.done():  # still on its way in
            self.task.cancel()

    async def _keep(self, target: ConnectorTarget, programs: Programs) -> None:
        try:
            async with connected(target, programs) as client:
                self._ready.set_result(client)
                while not self._ending and await self._used_meanwhile():
                    pass
                self._over = True
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
