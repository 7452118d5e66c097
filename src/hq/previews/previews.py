"""The previews of this process: which apps are open, who opens and stops them. When the process goes, they go with it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import asynccontextmanager
from uuid import UUID

from hq.errors import Refused
from hq.previews.preview import Preview, PreviewOrder
from hq.sandbox import Sandbox

IDLE = 20 * 60.0
"""Seconds after which one that nobody looks at is stopped."""
MOST = 8
"""How many are open at once; then the one that was not looked at for longest makes room."""


class Previews:
    """One per process, handed to the door: `tx.use(Previews)`. Only a process that stays opens any."""

    def __init__(self, *, idle: float = IDLE, now: Callable[[], float] = time.monotonic) -> None:
        self.serving = False
        """Whether this process stays: `hq up` does, a single command does not."""
        self.opened = asyncio.Event()
        """Set whenever one was opened: then there is something to watch."""
        self._idle = idle
        self._now = now
        self._all: dict[UUID, Preview] = {}
        """By workspace, the last one of each: its log can be read when it is over."""
        self._turns: dict[UUID, asyncio.Lock] = {}

    async def open(self, order: PreviewOrder, sandbox: Sandbox) -> Preview:
        """The one that runs, if it is of these very files; else a new one."""
        if not self.serving:
            raise Refused.conflict("an app is opened by a running hq; `hq up -d` starts it")
        async with self._turn(order.workspace):
            there = self._all.get(order.workspace)
            if there and there.running and there.order == order:
                return there
            if there:
                await there.stop("it was opened anew")
            await self._make_room()
            made = self._all[order.workspace] = Preview(order, sandbox)
            await made.start()
            self.opened.set()
            return made

    def of(self, tenant: UUID) -> list[Preview]:
        return [each for each in self._all.values() if each.order.tenant == tenant]

    @property
    def running(self) -> list[Preview]:
        return [each for each in self._all.values() if each.running]

    def find(self, tenant: UUID, mission: str) -> Preview:
        found = [each for each in self.of(tenant) if mission in (each.order.mission, str(each.order.workspace))]
        if not found:
            raise Refused.not_found(
                f"no app of {mission} was opened since hq started", hint=f"`hq mission open {mission}` opens it"
            )
        return found[0]

    def idle(self, preview: Preview) -> bool:
        return self._now() - preview.visited_at >= self._idle

    async def stop(self, order: PreviewOrder, why: str) -> bool:
        """Stop one that runs, unless it was opened anew meanwhile."""
        async with self._turn(order.workspace):
            there = self._all.get(order.workspace)
            if there is None or not there.running or there.order != order:
                return False
            await there.stop(why)
            return True

    async def close(self) -> None:
        self.serving = False
        await asyncio.gather(*(each.stop("hq stopped") for each in self._all.values()))

    async def _make_room(self) -> None:
        at_work = sorted(self.running, key=lambda each: each.visited_at)
        for each in at_work[: max(0, len(at_work) - MOST + 1)]:
            await each.stop(f"{MOST} others were opened since")

    @asynccontextmanager
    async def _turn(self, workspace: UUID):
        async with self._turns.setdefault(workspace, asyncio.Lock()):
            yield
