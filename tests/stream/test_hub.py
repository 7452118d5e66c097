"""The hub pushes: nothing is looked for again and again, and what a dead process did not say is found all the same."""

from __future__ import annotations

import asyncio
from uuid import UUID

import psycopg
import pytest

from hq.door.tx import Call
from hq.engine.sessions.leases import Leases
from hq.sessions.runner import Runner
from hq.sessions.session_view import SessionStreamView
from hq.stream import hub as hubs
from hq.stream.follow import Following
from hq.stream.hub import Hub
from tests.support.play import Stage, Told

DONE = '<task-complete reason="done"/>'


@pytest.fixture
async def hub(own_hq):
    hub = Hub(own_hq.address.app_url, own_hq.door.pool, own_hq.clock)
    yield hub
    await hub.close()


@pytest.fixture
async def session(own_hq) -> str:
    await own_hq.do("agent.create", name="scout", role="Scout")
    return (await own_hq.do("agent.send", agent="scout", text="go"))["session"]


async def tail(own_hq, session: str) -> SessionStreamView:
    outcome = await own_hq.door.call(Call("session.tail", {"id": session}, own_hq.token))
    return SessionStreamView(own_hq.door, outcome.data)


async def work(own_hq) -> None:
    mind = Told([("hq_task", {"action": "list"}), DONE])
    await Runner(Stage(own_hq, mind), own_hq.address.app_url, Leases(own_hq.door.pool, own_hq.clock)).run_once()


async def kinds(following: Following) -> list[str]:
    told = [frame async for frames in following.frames() for frame in frames]
    return [frame.data["kind"] if frame.name is None else frame.name for frame in told]


async def test_steps_come_by_notice_and_not_by_looking_again(own_hq, hub, session, monkeypatch):
    monkeypatch.setattr(hubs, "SWEEP", 3600.0)
    async with asyncio.timeout(60), Following(hub, await tail(own_hq, session)) as reader:
        reading = asyncio.create_task(kinds(reader))
        await asyncio.sleep(0)
        await work(own_hq)

        assert await reading == ["ready", "open", "mind", "verb", "mind", "close", "over"]


async def test_while_nothing_happens_nobody_looks(own_hq, hub, session, monkeypatch):
    monkeypatch.setattr(hubs, "SWEEP", 3600.0)
    view = await tail(own_hq, session)
    looks, look = [], view.look

    async def counted():
        looks.append(1)
        return await look()

    monkeypatch.setattr(view, "look", counted)
    async with Following(hub, view) as reader:
        frames = reader.frames()
        await anext(frames)
        reading = asyncio.create_task(anext(frames))
        while len(looks) < 2:  # once to see, once more after its session is followed
            await asyncio.sleep(0)
        hub._move({UUID(int=1)})  # somebody else's step
        await asyncio.sleep(0.3)

        assert len(looks) == 2
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)


async def test_what_a_dead_process_did_not_say_is_found_by_the_sweep(own_hq, hub, session, monkeypatch):
    monkeypatch.setattr(hubs, "SWEEP", 0.05)
    monkeypatch.setattr(own_hq.door.followers, "wake", lambda about=None: None)
    async with asyncio.timeout(60), Following(hub, await tail(own_hq, session)) as reader:
        reading = asyncio.create_task(kinds(reader))
        await work(own_hq)

        assert (await reading)[-1] == "over"


async def test_that_it_lies_down_is_told_also_where_its_last_step_was_told_before(own_hq, session):
    """Between the step that says what it waits for and its lying down somebody may look."""
    for name in ("Acme", "Acme Inc"):
        await own_hq.do("entity.create", name=name)
    mind = Told([("hq_entity", {"action": "merge", "loser": "acme-inc", "into": "acme"})])
    await Runner(Stage(own_hq, mind), own_hq.address.app_url, Leases(own_hq.door.pool, own_hq.clock)).run_once()
    view = await tail(own_hq, session)

    async with await psycopg.AsyncConnection.connect(own_hq.address.url, autocommit=True) as conn:
        await conn.execute("update ops.sessions set state = 'running' where id = %s", [session])
        steps = await view.look()
        await conn.execute("update ops.sessions set state = 'waiting' where id = %s", [session])
    told, again = await view.look(), await view.look()

    assert steps.frames[-1].data["kind"] == "wait"
    assert [(frame.name, frame.data) for frame in told.frames] == [("state", {"state": "waiting"})]
    assert again.frames == []
