"""Search, as a test uses it: what was written is brought into the index on demand, without waiting."""

from __future__ import annotations

import asyncio
from typing import Any

from hq.app import catalogue
from hq.engine.announcer import Announcer
from hq.engine.indexer import Indexer
from hq.graph.search.service import Embedders
from tests.support.company import Hq


async def catch_up(hq: Hq, embedders: Embedders | None = None) -> None:
    """Until the announcer, the indexer and the embedder have nothing left to do."""
    url = hq.address.app_url
    indexer = Indexer(url, catalogue(), hq.clock, embedders or hq.door.services[Embedders])
    async with await indexer.connect() as conn:
        announcer = Announcer(url, hq.clock)
        await announcer.run_once(conn)
        while announcer.unsettled:
            await asyncio.sleep(0.002)
            await announcer.run_once(conn)
        while await indexer.run_once(conn):
            pass


async def slugs(hq: Hq, query: str, **more: Any) -> list[str]:
    return [row["slug"] for row in (await hq.do("graph.search", query=query, **more))["items"]]
