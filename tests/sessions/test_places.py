"""Places of a process: whatever else is slow, the founder's own conversation is answered at once."""

from __future__ import annotations

import asyncio

import pytest

from hq.context import recollection
from hq.engine.sessions.places import Places
from tests.support.play import Told, route
from tests.support.supervised import announced


class Slow(Told):
    """Takes for ever where something slow is asked, and tells how many of those it was asked."""

    def __init__(self) -> None:
        super().__init__(["Here."])
        self.busy: asyncio.Queue[str] = asyncio.Queue()

    async def answer(self, ask, *, on_text=None):
        if ask.purpose == "remember" or "slow" in str(ask.messages):
            await self.busy.put(ask.purpose)
            await asyncio.Future()
        return await super().answer(ask)


@pytest.fixture
async def crowded(play):
    """Six places; as many of them taken as slow work can."""
    mind = Slow()
    runner = play.runner(mind)
    runner.places = Places(6)
    running: list[asyncio.Task[None]] = []

    async def taken_by(many: int) -> Slow:
        running.append(asyncio.create_task(runner.run()))
        for _ in range(many):
            await mind.busy.get()
        return mind

    yield taken_by
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)


async def answered(hq) -> None:
    """Until the founder was answered."""
    async with asyncio.timeout(20):
        while (await hq.do("chat.history", agent="scout"))["items"][-1]["text"] != "Here.":
            await announced(hq)


async def test_slow_conversations_of_programs_leave_the_founder_a_place(play, crowded):
    said = [{"role": "user", "parts": [{"text": "something slow"}]}]
    for _ in range(8):
        await play.hq.do("client.ask", agent="scout", messages=said)
    await crowded(5)

    await play.hq.do("chat.say", agent="scout", text="Hello")

    await answered(play.hq)


async def test_slow_work_leaves_a_place_for_who_waits_live_and_one_for_the_founder(play, crowded):
    for number in range(8):
        await play.hq.do("agent.send", agent=await play.agent(f"worker-{number}"), text="something slow")
    mind = await crowded(4)

    await play.hq.do("client.ask", agent="scout", messages=[{"role": "user", "parts": [{"text": "also slow"}]}])
    await announced(play.hq)
    await mind.busy.get()
    await play.hq.do("chat.say", agent="scout", text="Hello")

    await answered(play.hq)


async def test_a_place_that_becomes_free_during_a_claim_is_taken_at_once(play, monkeypatch):
    monkeypatch.setattr("hq.sessions.runner.SWEEP", 3600)
    runner, ended = play.runner(["Done."] * 12), []
    runner.places = Places(6)
    claim, over = runner.leases.claim, asyncio.Event()

    async def slow_claim(most, free):
        """Takes until all that was under way has ended."""
        while runner.sessions:
            await asyncio.sleep(0)
        return await claim(most, free)

    def tell(claimed, how):
        ended.append(claimed.agent)
        if len(ended) == 12:
            over.set()

    monkeypatch.setattr(runner.leases, "claim", slow_claim)
    runner.ended = tell
    for number in range(12):
        await play.hq.do("agent.send", agent=await play.agent(f"worker-{number}"), text="Go.")
    running = asyncio.create_task(runner.run())

    async with asyncio.timeout(30):
        await over.wait()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_look_backs_take_a_third_of_the_places(play, crowded):
    for number in range(5):
        agent = await play.agent(f"talker-{number}")
        await play.hq.do("chat.say", agent=agent, text="I always want invoices on Mondays, remember that.")
    await play.runner(["Noted."]).run_once()
    play.hq.clock.advance(seconds=recollection.QUIET.total_seconds())
    await route(play.hq)
    mind = await crowded(2)

    await play.hq.do("agent.send", agent="scout", text="something slow")

    assert await mind.busy.get() != "remember" and mind.busy.empty()
