"""A house in which nobody works: `hq up` with the door, the pages, the announcer and the indexer, and no agents.

`python still.py`: an example typed there is never overtaken by the agents of its own company.
"""

from __future__ import annotations

import asyncio
import os

from hq import __version__
from hq.api.listener import bind, url_of
from hq.api.server import Web
from hq.app import catalogue
from hq.duties import at_work
from hq.engine.announcer import Announcer
from hq.engine.indexer import Indexer
from hq.graph.search.service import Embedders
from hq.headquarters import open_headquarters
from hq.home import prepare_home
from hq.logs import set_up_logs
from hq.server_lock import RunningServer, claimed, publish
from hq.settings import Settings
from hq.stream.hub import Hub


async def serve(settings: Settings) -> None:
    async with open_headquarters(settings) as hq:
        announcer = Announcer(hq.address.app_url, hq.clock)
        indexer = Indexer(hq.address.app_url, catalogue(), hq.clock, hq.door.services[Embedders])
        hub = Hub(hq.address.app_url, hq.door.pool, hq.clock)

        async def ready() -> None:
            publish(settings, RunningServer(os.getpid(), url_of(listener), __version__, hq.clock.now().isoformat()))
            print("ready", flush=True)

        with bind(settings) as listener:
            async with at_work(announcer.run(), indexer.run()):
                await Web(hq, announcer, hub, ready).serve(sockets=[listener])


if __name__ == "__main__":
    settings = Settings.load()
    prepare_home(settings.home)
    with claimed(settings):
        set_up_logs(settings)
        asyncio.run(serve(settings))
