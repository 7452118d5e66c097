"""A whole company at work without a key, driven by hand: the shipped scripts answer."""

from __future__ import annotations

from typing import Any

from psycopg import AsyncConnection

from hq.agents.session_services import SessionServices
from hq.app import catalogue
from hq.engine.indexer import Indexer
from hq.engine.session_waker import SessionWaker
from hq.engine.sessions.leases import Leases
from hq.graph.search.service import Embedders
from hq.minds.service import Minds
from hq.sessions.runner import Runner
from tests.support.supervised import Supervised, announced


class Days:
    """A company at work, driven by hand; who works in it can be replaced, as by a restart."""

    def __init__(self, hq: Any) -> None:
        self.hq = hq
        self.house = Supervised(hq)
        self.restart()

    def restart(self) -> None:
        staff = SessionServices(self.hq.door, self.hq.door.services[Minds])
        self.runner = Runner(staff, self.hq.address.app_url, Leases(self.hq.door.pool, self.hq.clock))

    async def pass_by(self) -> None:
        """Until nobody has anything to do but wait."""
        url, clock = self.hq.address.app_url, self.hq.clock
        router = SessionWaker(url, clock)
        indexer = Indexer(url, catalogue(), clock, self.hq.door.services[Embedders])
        async with await AsyncConnection[Any].connect(url, autocommit=True) as conn:
            for _ in range(40):
                await announced(self.hq)
                while await indexer.run_once(conn):
                    pass
                await router.run_once(conn)
                await self.house.route.run_once()
                if not await self.runner.run_once():
                    return
        raise AssertionError("it never comes to rest")

    async def say(self, text: str) -> str:
        """Said where the whole conversation stands on the screen."""
        lines = [line for line in (await self.hq.do("chat.history"))["items"] if line["role"] != "user"]
        said = await self.hq.do("chat.say", text=text, shown=lines[-1]["id"] if lines else "nothing")
        await self.pass_by()
        lines = (await self.hq.do("chat.history", limit=20))["items"]
        after = lines[[line["id"] for line in lines].index(said["id"]) + 1 :]
        return "\n".join(line["text"] for line in after if "card" not in line)

    async def missions(self) -> dict[str, str]:
        return {m["title"]: m["status"] for m in (await self.hq.do("mission.list"))["items"]}
