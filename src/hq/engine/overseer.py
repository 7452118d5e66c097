"""The overseer: small things the house does by itself, one after the other, under one leader."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Protocol

import psycopg
import structlog
from psycopg import AsyncConnection
from psycopg_pool import PoolTimeout

from hq.engine.duty import Duty
from hq.errors import HqError

log = structlog.get_logger("hq.overseer")


class Chore(Protocol):
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


class Overseer(Duty):
    name = "overseer"
    lock = 0x68715F6F

    def __init__(self, url: str, chores: Sequence[Chore]) -> None:
        super().__init__(url)
        self.chores = chores
        self._due: dict[str, float] = {}

    async def lead(self, conn: AsyncConnection[Any]) -> None:
        self._due, told = {}, True
        while True:
            await self.run_due(news=told)
            wait = min(self._due.values(), default=0.0) - time.monotonic()
            told = await self.news(conn, min(max(0.05, wait), self.pause))

    async def run_due(self, *, news: bool = False) -> None:
        """Every chore whose time has come, or that news concern. One that fails does not stop the others."""
        for chore in self.chores:
            if self._due.get(chore.name, 0.0) > time.monotonic() and not (news and chore.on_news):
                continue
            try:
                await chore.run_once()
            except HqError as error:
                log.warning("a chore could not be done", chore=chore.name, error=error.message)
            except (psycopg.OperationalError, PoolTimeout):
                raise
            except Exception:
                log.exception("a chore broke", chore=chore.name)
            self._due[chore.name] = time.monotonic() + chore.every
