"""Duties: what the house does by itself. Each is a small thing with `run_once`; who leads runs them, one process at a time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any, Protocol

import psycopg
import structlog
from psycopg import AsyncConnection
from psycopg_pool import PoolTimeout

from hq.engine.feed import CHANNEL
from hq.errors import HqError

LEADER = 0x68715F64
SWEEP = 1.0
log = structlog.get_logger("hq.duties")


class Duty(Protocol):
    """Resumable: everything it must know to go on is in the database."""

    name: str
    says: str
    """What it does, in one line."""
    every: float
    """Seconds of machine time between two looks; news makes those with `on_news` look at once."""
    on_news: bool

    async def run_once(self) -> int:
        """Do what there is to do. Returns how much that was; nothing to do costs a question or two."""
        ...


class Overseer:
    """Holds its own connection: losing it loses the leadership, and another process takes over."""

    def __init__(self, url: str, duties: Sequence[Duty]) -> None:
        self.duties = duties
        self.leading = False
        self._url = url
        self._due: dict[str, float] = {}

    async def run(self) -> None:
        """Lead, or wait to lead, until cancelled."""
        while True:
            try:
                await self._lead()
            except (psycopg.Error, PoolTimeout, OSError) as error:
                log.warning("the duties lost their connection", error=str(error).strip())
            self.leading = False
            await asyncio.sleep(SWEEP)

    async def _lead(self) -> None:
        async with await AsyncConnection[Any].connect(self._url, autocommit=True) as conn:
            while not await self._won(conn):
                await asyncio.sleep(SWEEP)
            self.leading, self._due = True, {}
            await conn.execute(f"listen {CHANNEL}")
            news = True
            while True:
                await self.run_due(news=news)
                news = False
                wait = max(0.05, min(self._due.values(), default=0.0) - time.monotonic())
                async for _ in conn.notifies(timeout=min(wait, SWEEP), stop_after=1):
                    news = True

    async def _won(self, conn: AsyncConnection[Any]) -> bool:
        row = await (await conn.execute("select pg_try_advisory_lock(%s)", [LEADER])).fetchone()
        return bool(row and row[0])

    async def run_due(self, *, news: bool = False) -> None:
        """Every duty whose time has come, or that news concern. One that fails does not stop the others."""
        for duty in self.duties:
            if self._due.get(duty.name, 0.0) > time.monotonic() and not (news and duty.on_news):
                continue
            try:
                await duty.run_once()
            except HqError as error:
                log.warning("a duty could not be done", duty=duty.name, error=error.message)
            except (psycopg.OperationalError, PoolTimeout):
                raise
            except Exception:
                log.exception("a duty broke", duty=duty.name)
            self._due[duty.name] = time.monotonic() + duty.every
