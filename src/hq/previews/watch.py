"""The watch of a process over the previews it serves: stops those whose files have changed or are gone, and those that nobody looks at.

Only the process that runs an app knows of it, so this is no job: jobs run where their leader is, which may be another process.
"""

from __future__ import annotations

import asyncio

import psycopg
import structlog
from psycopg_pool import PoolTimeout

from hq.database.connection import ListeningConnection
from hq.database.queries import beside
from hq.door.door import Door
from hq.engine.duty import NEWS
from hq.engine.tenancy import inside
from hq.previews.previews import Previews
from hq.previews.rows import HeldSnapshotRow

SQL = beside(__file__)
PAUSE = 60.0
"""Seconds between looks while nothing is announced: for how long nobody looked at one, no event says."""
AGAIN = 1.0
log = structlog.get_logger("hq.previews")


async def watch_previews(url: str, door: Door) -> None:
    """Until cancelled. While none is open it costs nothing."""
    previews: Previews = door.services[Previews]
    while True:
        await previews.opened.wait()
        previews.opened.clear()
        try:
            async with await ListeningConnection.connect(url, autocommit=True) as conn:
                await conn.execute("listen " + NEWS)
                while previews.running:
                    await stop_stale(door)
                    await conn.news(PAUSE)
        except (psycopg.Error, PoolTimeout, OSError) as error:
            log.warning("the watch over previews lost its connection", error=str(error).strip())
            previews.opened.set()
            await asyncio.sleep(AGAIN)


async def stop_stale(door: Door) -> int:
    """Stop those of this process that are not to run any longer. How many."""
    previews: Previews = door.services[Previews]
    stopped = 0
    for tenant in {each.order.tenant for each in previews.running}:
        at_work = [each for each in previews.of(tenant) if each.running]
        async with inside(door.pool, tenant) as reader:
            values = {"workspaces": [each.order.workspace for each in at_work]}
            rows = await reader.rows(SQL["held_snapshots"], values, into=HeldSnapshotRow)
        held = {row.id: row.snapshot for row in rows}
        for each in at_work:
            changed = held.get(each.order.workspace) != each.order.snapshot
            why = "its files have changed" if changed else "nobody looked at it" if previews.idle(each) else ""
            stopped += bool(why) and await previews.stop(each.order, why)
    return stopped
