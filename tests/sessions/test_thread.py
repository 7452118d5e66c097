"""The founder's one thread: continued, never begun anew; spoken to while it works, rests or waits."""

from __future__ import annotations

import asyncio

import psycopg

from hq.door.waker import WORK
from hq.engine.sessions.leases import Leases
from hq.engine.tenancy import inside
from hq.ids import new_id
from tests.support.play import Told, route, texts


async def say(play, text: str) -> dict:
    return await play.hq.do("thread.say", agent="scout", text=text)


async def test_every_message_goes_on_in_the_same_session_with_all_that_was_said(play):
    first = await say(play, "My name is Ana.")
    mind = Told(["Hello Ana.", "You are Ana."])
    await play.runner(mind).run_once()
    assert play.ended[first["session"]].state == "waiting"

    second = await say(play, "Who am I?")
    await play.runner(mind).run_once()  # another process: nothing is left of the first but the journal

    assert second["session"] == first["session"] and (first["state"], second["state"]) == ("new", "waiting")
    asked = texts(mind.asked[-1].messages)
    assert "Hello Ana." in asked and asked[-1] == "Who am I?"
    assert (await play.hq.do("thread.show", agent="scout"))["state"] == "waiting"


async def test_it_rests_without_waking_by_itself(play):
    session = (await say(play, "Hi"))["session"]
    await play.runner(["Hello."]).run_once()

    await route(play.hq)

    assert await play.runner(["Hello."]).run_once() == 0
    assert (await play.hq.do("session.show", id=session))["turns"] == 1


async def test_what_is_said_while_it_answers_is_not_lost(play):
    session = (await say(play, "One"))["session"]

    class Interrupted(Told):
        async def answer(self, ask, *, on_text=None):
            if len(self.asked) == 0:
                assert (await say(play, "Two"))["state"] == "running"
            return await super().answer(ask)

    mind = Interrupted(["First.", "Second."])
    await play.runner(mind).run_once()

    assert texts(mind.asked[-1].messages)[-2:] == ["First.", "Two"]
    assert play.ended[session].state == "waiting"


async def test_what_is_said_in_the_moment_it_lies_down_wakes_it(play):
    await say(play, "One")
    hq = play.hq
    (held,) = await Leases(hq.door.pool, hq.clock).claim(1)
    asleep = "select ops.let_go(%s, %s, %s) as state"
    said = "select ops.tell_session(%s, %s, 'command', 'user:founder', 'Two', '{}', null, %s)"
    async with inside(hq.door.pool, held.tenant_id) as speaking:
        await speaking.conn.execute(said, [held.id, new_id(), hq.clock.now()])
        lying = asyncio.create_task(_value(hq, held.tenant_id, asleep, [held.id, held.holder, hq.clock.now()]))
        await _blocked(hq)

    assert await lying == "queued"


async def _value(hq, tenant, query: str, values: list) -> str:
    async with inside(hq.door.pool, tenant) as reader:
        return await reader.the_scalar(query, values, of=str)


async def _blocked(hq) -> None:
    """Until somebody waits for what another holds."""
    waits = "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    async with hq.door.pool.connection() as conn, asyncio.timeout(60):
        while (await (await conn.execute(waits)).fetchone()) == (0,):
            await asyncio.sleep(0.01)


async def test_every_message_wakes_the_workers_by_itself(play):
    """No announcer and no router run here: what says that there is work is the call that was made."""
    hq = play.hq
    async with await psycopg.AsyncConnection.connect(hq.address.app_url, autocommit=True) as conn:
        await conn.execute(f"listen {WORK}")
        for text in ("Hi", "And?"):
            await say(play, text)
            assert [news.channel async for news in conn.notifies(timeout=60, stop_after=1)] == [WORK], text
            await play.runner(["Hello."]).run_once()


async def test_two_first_messages_make_one_thread(play):
    made = await asyncio.gather(say(play, "a"), say(play, "b"))

    assert len({each["session"] for each in made}) == 1


async def test_limits_count_from_each_message(play):
    session = (await say(play, "go"))["session"]
    runner = play.runner(Told(["Fine."]), max_turns=1)
    for _ in range(3):
        await runner.run_once()
        await say(play, "again")
    await runner.run_once()

    assert play.ended[session].state == "waiting"
    assert (await play.hq.do("session.show", id=session))["turns"] == 4


async def test_a_thread_that_was_stopped_is_followed_by_a_new_one_that_knows_what_was_said(play):
    session = (await say(play, "My name is Ana."))["session"]
    mind = Told(["Hello Ana.\n<task-complete/>", "You are Ana."])
    await play.runner(mind).run_once()
    await play.hq.do("session.stop", id=session)

    assert (await say(play, "Who am I?"))["session"] != session
    await play.runner(mind).run_once()

    told = texts(mind.asked[-1].messages)[0]
    assert "founder: My name is Ana.\nyou: Hello Ana.\n" in told
    assert "your first session" not in told and 'closed with reason: "stopped by hand"' in told
