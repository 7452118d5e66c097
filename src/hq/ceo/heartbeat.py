"""The heartbeat: lets the CEO look at every company, twice a minute and whenever something happened. One leader at a time.

Looking is one question to the database. Only where it finds something the CEO is called upon.
"""

from __future__ import annotations

import asyncio
from typing import Any

from psycopg import AsyncConnection

from hq.agents.supervision.companies import Companies
from hq.door.door import Door
from hq.engine.duty import Duty

COALESCE = 2.0
"""Seconds of machine time between two looks, however much happens."""


class Heartbeat(Duty):
    name = "heartbeat"
    lock = 0x68715F68
    pause = 30.0

    def __init__(self, url: str, door: Door) -> None:
        super().__init__(url)
        self._companies = Companies(door)

    async def run_once(self, conn: AsyncConnection[Any]) -> int:
        return await self.beat()

    async def beat(self) -> int:
        """One look at all companies; one that takes long to decide does not hold up the others. How many had something."""
        found = await self._companies.named("select * from ops.beating(%s)", [self._companies.now()])
        await asyncio.gather(*(self._companies.call(tenant, "ceo.tick", {}) for tenant in found))
        return len(found)

    async def lead(self, conn: AsyncConnection[Any]) -> None:
        while True:
            await self.run_once(conn)
            await asyncio.sleep(COALESCE)
            await self.news(conn, self.pause - COALESCE)
