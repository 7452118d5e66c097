"""A company whose heart a test lets beat by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest

from hq.engine.sessions.leases import Leases
from hq.engine.tenancy import outside
from tests.support.company import Hq
from tests.support.jobs import JobHand
from tests.support.supervised import announced, close


@dataclass
class Heart:
    hq: Hq

    def __post_init__(self) -> None:
        self.heartbeat = JobHand(self.hq, "heartbeat")
        self.jobs = [JobHand(self.hq, name) for name in ("work", "asks")]

    async def beat(self, **passed: float) -> int:
        """So much later, one look at everything that happened until then."""
        self.hq.clock.advance(**passed)
        for job in self.jobs:
            await job.run_once()
        await announced(self.hq)
        return await self.look()

    async def look(self) -> int:
        """One look at every company; how many had something."""
        async with outside(self.hq.door.pool) as reader:
            found = await reader.scalars("select * from ops.beating(%s)", [self.hq.clock.now()], of=UUID)
        await self.heartbeat.run_once()
        return len(found)

    async def cards(self) -> list[dict[str, Any]]:
        """Oldest first."""
        return (await self.hq.do("card.list", limit=200))["items"][::-1]

    async def titles(self) -> list[str]:
        return [card["title"] for card in await self.cards()]

    async def noticed(self, trigger: str | None = None) -> list[str]:
        found = await self.hq.do("ceo.noticed", limit=200, **({"trigger": trigger} if trigger else {}))
        return [item["trigger"] for item in found["items"]][::-1]

    async def approval(self) -> str:
        """Something that waits for a yes."""
        for name in ("Acme", "Acme Inc"):
            await self.hq.do("entity.create", name=name)
        token = await self.hq.agent("operator")
        waits = await self.hq.call("entity.merge", loser="acme-inc", into="acme", _token=token)
        return waits.data["approval"]


@pytest.fixture
async def heart(own_hq) -> Heart:
    """The shipped agents, and a heart that beats when the test says so."""
    await own_hq.do("agent.load")
    made = Heart(own_hq)
    await made.beat(hours=1)
    return made


async def mission(heart: Heart, title: str = "Count the birds", **more: Any) -> str:
    return (await heart.hq.do("mission.create", title=title, **more))["slug"]


async def left(heart: Heart) -> None:
    """Whoever works ends without a word on the work."""
    for claimed in await Leases(heart.hq.door.pool, heart.hq.clock).claim(8):
        await close(heart, claimed, "All done!")
