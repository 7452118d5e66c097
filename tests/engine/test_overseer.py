"""Chores run under one leader: at once on news, again and again, and on in another process when the leader goes."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from hq.agents.supervision.supervisor import chores
from hq.engine.announcer import Announcer
from hq.engine.overseer import Overseer


@dataclass
class Counting:
    """A chore that says when it ran."""

    name: str = "count"
    says: str = "counts"
    every: float = 3600.0
    on_news: bool = True
    breaks: bool = False
    ran: asyncio.Event = field(default_factory=asyncio.Event)
    times: int = 0

    async def run_once(self) -> int:
        self.times += 1
        self.ran.set()
        if self.breaks:
            raise RuntimeError("broken")
        return 0


@asynccontextmanager
async def at_work(*works):
    tasks = [asyncio.create_task(work) for work in works]
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def test_one_leads_and_another_takes_over_when_it_goes(own_hq):
    first, second = Counting(), Counting()
    url = own_hq.address.app_url
    async with asyncio.timeout(20), at_work(Overseer(url, [first]).run()) as (leader,):
        await first.ran.wait()
        async with at_work(Overseer(url, [second]).run()):
            leader.cancel()
            await second.ran.wait()


async def test_one_that_breaks_does_not_stop_the_others(own_hq):
    broken, sound = Counting(breaks=True), Counting(name="sound")
    async with asyncio.timeout(20), at_work(Overseer(own_hq.address.app_url, [broken, sound]).run()):
        await sound.ran.wait()

    assert broken.times == 1


async def test_an_event_wakes_an_agent_without_waiting_for_a_sweep(own_hq):
    found = {chore.name: chore for chore in chores(own_hq.door)}
    await own_hq.do("agent.load")
    woken, route = asyncio.Event(), found["route"]
    route.every, run_once = 3600.0, route.run_once  # only news make it look

    async def watched() -> int:
        count = await run_once()
        if count:
            woken.set()
        return count

    route.run_once = watched
    url = own_hq.address.app_url
    async with asyncio.timeout(20), at_work(Announcer(url, own_hq.clock).run(), Overseer(url, [route]).run()):
        await own_hq.do("task.create", title="Count")
        await own_hq.do("task.assign", ref="count", to="operator")
        await woken.wait()

    (session,) = (await own_hq.do("session.list"))["items"]
    assert (session["agent"], session["trigger"]) == ("operator", "task.assigned_to.operator")
