"""A house in which nobody works: `hq up` with the door, the pages, the announcer and the indexer, and no agents.

`python still_server.py`: an example typed there is never overtaken by the agents of its own company.
"""

from __future__ import annotations

import asyncio
from functools import partial

from hq.api.listener import bind, url_of
from hq.api.server import Web, _ready
from hq.app import catalogue
from hq.duties import at_work
from hq.engine.announcer import Announcer
from hq.engine.indexer import Indexer
from hq.graph.search.service import Embedders
from hq.headquarters import open_headquarters
from hq.home import prepare_home
from hq.logs import set_up_logs
from hq.server_lock import claimed
from hq.settings import Settings
from hq.stream.hub import Hub


async def serve(settings: Settings) -> None:
    async with open_headquarters(settings) as hq:
        announcer = Announcer(hq.address.app_url, hq.clock)
        indexer = Indexer(hq.address.app_url, catalogue(), hq.clock, hq.door.services[Embedders])
        hub = Hub(hq.address.app_url, hq.door.pool, hq.clock)

        with bind(settings) as listener:
            web = Web(hq, announcer, hub, lambda: _ready(hq, url_of(listener), partial(print, flush=True)))
            async with at_work(announcer.run(), indexer.run()):
                await web.serve(sockets=[listener])


if __name__ == "__main__":
    settings = Settings.load()
    prepare_home(settings.home)
    with claimed(settings):
        set_up_logs(settings)
        asyncio.run(serve(settings))
