"""The watch over the embedded database of a server: brings it back when something kills it."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import structlog

from hq import locks
from hq.database.embedded import Cluster, EmbeddedServer
from hq.errors import HqError
from hq.headquarters import Headquarters
from hq.settings import Settings

PAUSE = 0.5  # seconds; a look is one system call
LONG_PAUSE = 10.0  # after it could not be brought back
log = structlog.get_logger("hq.keeper")


async def keep_database(hq: Headquarters) -> None:
    """Until cancelled. A database that is somebody else's is left to them."""
    if hq.settings.database_url:
        return
    server, life = EmbeddedServer(hq.settings.home), _life_lock(hq.settings)
    pause = PAUSE
    while True:
        await asyncio.sleep(pause)
        pause = PAUSE
        if not locks.held(life) and not await asyncio.to_thread(server.running):
            pause = PAUSE if await _bring_back(server, hq) else LONG_PAUSE


def _life_lock(settings: Settings) -> Path:
    """Held by the database's own processes for as long as one of them lives."""
    return Cluster(Path(os.path.realpath(settings.home))).life_lock


async def _bring_back(server: EmbeddedServer, hq: Headquarters) -> bool:
    log.warning("the database is gone; starting it again")
    try:
        await asyncio.to_thread(server.start)
    except HqError as error:
        log.error("the database does not come back", error=error.message)
        return False
    await hq.door.pool.check()  # so that no call gets a connection to the one that died
    log.info("the database is back")
    return True
