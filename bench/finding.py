"""What the search benchmarks share: a door with its indexer, brought up to date on demand."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from bench.calls import opened
from bench.database import Company
from hq.app import catalogue
from hq.clock import SystemClock
from hq.door.door import Door
from hq.door.tx import Call
from hq.engine.announcer import Announcer
from hq.engine.indexer import Indexer
from hq.graph.search.service import Embedders


class Finding:
    """A company that writes and finds, through the door."""

    def __init__(self, door: Door, company: Company) -> None:
        self.door = door
        self.company = company
        self.embedders: Embedders = door.services[Embedders]

    async def do(self, verb: str, /, *, token: str | None = None, at: str | None = None, **args: Any) -> Any:
        outcome = await self.door.call(Call(verb, args, token or self.company.token, at=at))
        if not outcome.ok:
            raise SystemExit(f"{verb}: {outcome.error}")
        return outcome.data

    async def catch_up(self) -> None:
        """Until the announcer, the indexer and the embedder have nothing left to do."""
        url = self.company.address.app_url
        announcer = Announcer(url, SystemClock())
        indexer = Indexer(url, catalogue(), SystemClock(), self.embedders)
        async with await indexer.connect() as conn:
            await announcer.run_once(conn)
            while announcer.unsettled:
                await announcer.run_once(conn)
            while await indexer.run_once(conn):
                pass


@asynccontextmanager
async def finding(company: Company) -> AsyncIterator[Finding]:
    async with opened(company) as door:
        yield Finding(door, company)
