"""The indexer: brings what calls wrote into the search index, and gives it vectors. One leader at a time.

It reads behind the announcer, so it sees every call once and in order. Words come first: vectors may take longer.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

import structlog
from psycopg import AsyncConnection

from hq.clock import Clock
from hq.database.connection import ListeningConnection
from hq.engine.duty import SETTLED, Duty
from hq.graph.catalogue import Catalogue
from hq.graph.search.embedders import Unavailable
from hq.graph.search.embedding import embed_batch, embedders_at_work, forget_batch
from hq.graph.search.index_writer import index_batch
from hq.graph.search.service import Embedders

PACE = 0.03  # seconds between two batches that were not full
YIELDED = 0.25  # of the time a batch took, left to others after it
PAUSE = 60.0  # seconds until an embedder that was not to be had is tried again
QUIET = 15.0  # seconds between looks for something to embed or to let go, while nothing new is indexed
log = structlog.get_logger("hq.indexer")


class Indexer(Duty):
    name = "indexer"
    lock = 0x68715F69
    channel = SETTLED
    longest_pause = 60.0

    def __init__(self, url: str, catalogue: Catalogue, clock: Clock, embedders: Embedders) -> None:
        super().__init__(url)
        self.catalogue = catalogue
        self.clock = clock
        self._embedders = embedders
        self._embed_after: dict[str, float] = {}
        self._quiet_until = 0.0
        self._rest = 0.0
        """Seconds until the next batch: a few calls at a time cost nearly as much as many."""
        self.indexed = asyncio.Event()
        """Set whenever something new was indexed; whoever waits clears it."""

    async def lead(self, conn: ListeningConnection) -> None:
        while True:
            started = time.monotonic()
            if await self.run_once(conn):
                # What it takes long for it may also be late with: others, above all the announcer, come first.
                await asyncio.sleep(max(self._rest, YIELDED * (time.monotonic() - started)))
                continue
            await self.idle(conn)
            self._embedders.rest()

    async def run_once(self, conn: AsyncConnection[Any]) -> bool:
        """Index a batch, or where there is none embed one, or let go of old vectors. Says whether it did anything."""
        if done := await index_batch(conn, self.catalogue, self.clock.now()):
            self._rest = 0.0 if done.full else PACE
            self._quiet_until = 0.0
            if done.nodes:
                self.indexed.set()
            return True
        self._rest = 0.0
        if time.monotonic() < self._quiet_until:
            return False
        if await self._embed(conn) or await forget_batch(conn) > 0:
            return True
        self._quiet_until = time.monotonic() + QUIET
        return False

    async def _embed(self, conn: AsyncConnection[Any]) -> bool:
        """The model that serves comes first: while another is built, what is new must be found by its vectors too."""
        for embedder in await embedders_at_work(conn, self._embedders):
            if asyncio.get_running_loop().time() < self._embed_after.get(embedder.name, 0.0):
                continue
            try:
                if await embed_batch(conn, embedder) > 0:
                    return True
            except Unavailable as error:
                log.warning("no vectors for now", error=str(error))
                self._embed_after[embedder.name] = asyncio.get_running_loop().time() + PAUSE
        return False


async def index_once(indexer: Indexer) -> int:
    """Index what there is by its words, where nobody leads: after a command that worked on the database itself."""
    conn = await indexer.alone()
    if conn is None:
        return 0
    total = 0
    async with conn:
        while done := await index_batch(conn, indexer.catalogue, indexer.clock.now()):
            total += done.nodes
    return total
