"""What a page costs the database: few trips, however much it shows; and each of its reads in the ledger all the same."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bench.trips import Trips, counted
from hq.app import open_door
from hq.errors import HqError
from hq.missions.life import OPEN
from hq.web import pages
from hq.web.page_reads import PageReader
from tests.support.company import Hq
from tests.support.paying import route

MOST = 15
"""One to open, one to close, and about two for each thing that has to be known before the next can be asked: 7 to 12 as
the questions happen to meet. Asked one by one a page took 43 to 101."""


@pytest.fixture
async def slow(database, template, clock, tmp_path: Path) -> AsyncIterator[tuple[Hq, Trips]]:
    """A company whose way to its database is counted."""
    async with (
        counted(database) as (address, trips),
        open_door(address, vault_file=tmp_path / "vault.key", clock=clock, pool_size=4) as door,
    ):
        hq = Hq(door, address, template[1], clock)
        await hq.do("agent.load")
        yield hq, trips


async def show(hq: Hq, name: str, **asked: str) -> str:
    async with PageReader.opened(hq.door, hq.token) as reader:
        answer = await getattr(pages, name)(reader, asked)
    return bytes(answer.body).decode()


async def test_a_page_takes_few_trips_however_much_it_shows(slow):
    hq, trips = slow
    for n in range(6):
        await hq.do("task.create", title=f"Task {n}")
        await hq.do("mission.create", title=f"Mission {n}")
        await hq.do("review.create", question_text=f"Which {n}?", options=[{"key": "a", "label": "A"}])
    await hq.do("chat.say", text="Hello")
    session = (await hq.do("agent.send", agent="operator", text="Look"))["session"]
    asked = {"agent": {"agent": "operator"}, "session": {"session": session}}
    found = {}
    for name in ("chat", "inbox", "work", "everybody", "agent", "session"):
        await show(hq, name, **asked.get(name, {}))
        before = trips.count
        await show(hq, name, **asked.get(name, {}))
        found[name] = trips.count - before

    assert max(found.values()) <= MOST, found


async def test_every_read_of_a_page_is_in_the_ledger(slow):
    hq, _ = slow
    assert "Call Ana" not in await show(hq, "work")
    await hq.do("task.create", title="Call Ana")

    assert "Call Ana" in await show(hq, "work")

    calls = (await hq.do("action.list", verb="mission.list", reads=True, limit=200))["items"]
    assert len(calls) == 2 * (len(OPEN) + len(("done", "failed", "taken_back"))) and {
        call["status"] for call in calls
    } == {"ok"}
    await route(hq)
    assert (await hq.do("ledger.verify"))["intact"]


async def test_what_one_read_refuses_the_page_raises_and_the_connection_is_as_good_as_new(slow):
    hq, _ = slow
    for _ in range(6):  # more often than the pool has connections
        with pytest.raises(HqError, match="there is no"):
            await show(hq, "agent", agent="nobody")

    assert "operator" in await show(hq, "agent", agent="operator")
    refused = (await hq.do("action.list", verb="agent.show", status="refused", reads=True))["items"]
    assert len(refused) == 6


async def test_whoever_leaves_half_way_leaves_nothing_open(slow):
    hq, _ = slow
    leaving = [asyncio.create_task(show(hq, "work")) for _ in range(6)]
    await asyncio.sleep(0)
    for each in leaving:
        each.cancel()
    await asyncio.gather(*leaving, return_exceptions=True)

    assert "No work yet" in await show(hq, "work")


async def test_a_token_that_is_none_and_a_call_that_changes_something_are_refused(slow):
    hq, _ = slow
    with pytest.raises(HqError, match="no valid credential"):
        async with PageReader.opened(hq.door, "hq_session_nonsense"):
            pass
    async with PageReader.opened(hq.door, hq.token) as reader:
        with pytest.raises(HqError, match="is no read"):
            await reader.read("task.create", title="x")
    worker = await hq.agent("nobody", scopes=["read:task"])
    async with PageReader.opened(hq.door, worker) as reader:
        assert (await reader.read("task.list"))["items"] == []
        with pytest.raises(HqError, match="scope"):
            await reader.read("mission.list")
