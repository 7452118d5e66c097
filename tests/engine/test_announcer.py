"""The announcer at rest writes nothing, and what it announces others can count on."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from psycopg import AsyncConnection

from hq.engine.announcer import BEAT, Announcer
from hq.stream.topics import Topics


async def settled(hq, announcer: Announcer, conn: AsyncConnection[Any]) -> None:
    """Everything is announced. Other tests on the same server may have transactions under way for a moment."""
    behind = "select h.drawn > a.chained from ops.horizon(9223372036854775807) h, ops.announcer a"
    async with asyncio.timeout(30):
        while True:
            await announcer.run_once(conn)
            row = await (await conn.execute(behind)).fetchone()
            if row and not row[0]:
                return


async def version(conn: AsyncConnection[Any]) -> Any:
    """Changes with every write to the announcer's row, and with every lock taken on it."""
    return await (
        await conn.execute("select xmin::text, xmax::text, ctid::text, beat_at from ops.announcer")
    ).fetchone()


async def test_while_nothing_happens_it_writes_nothing_but_a_rare_beat(own_hq, clock):
    announcer = Announcer(own_hq.address.app_url, clock)
    async with await AsyncConnection.connect(own_hq.address.app_url, autocommit=True) as conn:
        await own_hq.do("task.create", title="Call Ana")
        await settled(own_hq, announcer, conn)
        before = await version(conn)

        for _ in range(20):
            clock.advance(seconds=1)
            assert await announcer.run_once(conn) == 0
        assert await version(conn) == before

        clock.advance(seconds=BEAT.total_seconds())
        await announcer.run_once(conn)
        assert (await version(conn))[3] == clock.now()


async def test_an_event_is_told_only_once_it_is_settled(own_hq, clock):
    """A call that draws its number first and commits last comes first; nobody is told of the other before."""
    announcer = Announcer(own_hq.address.app_url, clock)
    async with (
        await AsyncConnection.connect(own_hq.address.app_url, autocommit=True) as conn,
        await AsyncConnection.connect(own_hq.address.app_url) as slow,
    ):
        await settled(own_hq, announcer, conn)
        await slow.execute("select ops.draw()")
        await own_hq.do("task.create", title="Call Ana")
        for _ in range(5):
            await announcer.run_once(conn)
        assert (await own_hq.do("events.list", topics=["task.created"]))["items"] == []

        await slow.rollback()
        await settled(own_hq, announcer, conn)
        assert len((await own_hq.do("events.list", topics=["task.created"]))["items"]) == 1


@pytest.mark.parametrize(
    ("patterns", "topic", "wanted"),
    [
        ([], "task.created", True),
        (["*"], "anything", True),
        (["task.*"], "task.created", True),
        (["task.*"], "multitask.created", False),
        (["*.created"], "task.created", True),
        (["task.created"], "task.created2", False),
        (["a.*", "task.assigned_to.*"], "task.assigned_to.agent:chief", True),
        (["task(.*"], "task(.x", True),
    ],
)
def test_topics_match_as_their_stars_say(patterns, topic, wanted):
    assert Topics(patterns).match(topic) is wanted


@pytest.mark.parametrize("pattern", ["nosuch[", "task(.*", "\\", "a{1", "^$|", "é*", "%_", "';--", "", "a b"])
async def test_what_is_no_topic_is_refused_and_told_what_one_looks_like(hq, pattern):
    outcome = await hq.call("events.list", topics=[pattern])

    assert outcome.error["code"] == "invalid"
    assert "looks like task.created" in outcome.error["message"]


@pytest.mark.parametrize("pattern", [".", "a.b", "-", "tas_.created", "a:b/c@d"])
async def test_no_pattern_means_anything_else_to_the_database(hq, pattern):
    assert (await hq.do("events.list", topics=[pattern]))["items"] == []
