"""The indexer: brings what calls wrote into the search index, and gives it vectors. One leader at a time.

It reads behind the announcer, so it sees every call once and in order. Words come first: vectors may take longer.
"""

from __future__ import annotations

import asyncio
from typing import Any

import psycopg
import structlog
from psycopg import AsyncConnection

from hq.clock import Clock
from hq.door.waker import CHANNEL
from hq.graph.catalogue import Catalogue
from hq.graph.search.embedders import Unavailable
from hq.graph.search.embedding import embed_batch
from hq.graph.search.indexing import index_batch
from hq.graph.search.service import Embedders

LEADER = 0x68715F69
SWEEP = 1.0
SETTLING = 0.03  # after a call, until the announcer has it
TRIES = 5  # looks in that pace before the sweep's
PAUSE = 60.0  # seconds until an embedder that was not to be had is tried again
log = structlog.get_logger("hq.indexer")


class Indexer:
    """Holds its own connection, as the announcer does: losing it loses the leadership."""

    def __init__(self, url: str, catalogue: Catalogue, clock: Clock, embedders: Embedders) -> None:
        self._url = url
        self._catalogue = catalogue
        self._clock = clock
        self._embedders = embedders
        self._embed_after = 0.0
        self.leading = False
        self.indexed = asyncio.Event()
        """Set whenever something new was indexed; whoever waits clears it."""

    async def run(self) -> None:
        """Lead, or wait to lead, until cancelled. A lost connection is tried again."""
        while True:
            try:
                await self._lead()
            except (psycopg.Error, OSError) as error:
                log.warning("indexer lost its connection", error=str(error).strip())
            self.leading = False
            await asyncio.sleep(SWEEP)

    async def _lead(self) -> None:
        async with await connected(self._url) as conn:
            while not await _won(conn):
                await asyncio.sleep(SWEEP)
            self.leading = True
            await conn.execute(f"listen {CHANNEL}")
            looks = 0
            while True:
                busy = await self.run_once(conn)
                looks = 0 if busy else looks - 1
                if busy:
                    continue
                async for _ in conn.notifies(timeout=SETTLING if looks > 0 else SWEEP, stop_after=1):
                    looks = TRIES
                if looks == TRIES:
                    await asyncio.sleep(SETTLING)
                self._embedders.rest()

    async def run_once(self, conn: AsyncConnection[Any]) -> bool:
        """Index a batch, or where there is none embed one. Says whether there was anything to do."""
        if (many := await index_batch(conn, self._catalogue, self._clock.now())) >= 0:
            if many:
                self.indexed.set()
            return True
        return await self._embed(conn)

    async def _embed(self, conn: AsyncConnection[Any]) -> bool:
        embedder = self._embedders.set
        if embedder is None or asyncio.get_running_loop().time() < self._embed_after:
            return False
        try:
            return await embed_batch(conn, embedder) > 0
        except Unavailable as error:
            log.warning("no vectors for now", error=str(error))
            self._embed_after = asyncio.get_running_loop().time() + PAUSE
            return False


async def index_once(url: str, catalogue: Catalogue, clock: Clock) -> int:
    """Index what there is by its words, where nobody leads: after a command that worked on the database itself."""
    total = 0
    async with await connected(url) as conn:
        if not await _won(conn):
            return 0
        while (many := await index_batch(conn, catalogue, clock.now())) >= 0:
            total += many
    return total


async def connected(url: str) -> AsyncConnection[Any]:
    return await AsyncConnection[Any].connect(url, autocommit=True, prepare_threshold=1)


async def _won(conn: AsyncConnection[Any]) -> bool:
    row = await (await conn.execute("select pg_try_advisory_lock(%s)", [LEADER])).fetchone()
    return bool(row and row[0])
