"""`GET /api/chat/stream`: an answer while it is being said, for those who may, through lost connections."""

from __future__ import annotations

import asyncio

import pytest

from hq.database.migrate import Migrated
from hq.headquarters import Headquarters
from tests.support.play import Play
from tests.support.speaking import Spoken
from tests.support.streams import Said, Stream, announcing, served

PATH = "/api/chat/stream"


@pytest.fixture
async def house(own_hq, settings):
    await own_hq.do("agent.create", name="scout", role="Scout")
    return Headquarters(settings, own_hq.address, own_hq.door, own_hq.token, own_hq.clock, Migrated((), 1))


@pytest.fixture
async def live(house):
    async with served(house) as server, announcing(house):
        yield server


async def until_line(stream: Stream, role: str) -> Said:
    while True:
        said = await stream.until("line")
        if said.data["role"] == role:
            return said


async def test_words_come_before_the_answer_is_whole(own_hq, live):
    stream = await live.follow("?agent=scout", path=PATH)
    await stream.until("ready")
    await own_hq.do("chat.say", agent="scout", text="Tell me")
    mind = Spoken(["Once upon ", "a time."])
    working = asyncio.create_task(Play(own_hq).runner(mind).run_once())

    assert (await until_line(stream, "user")).data["text"] == "Tell me"
    first = (await stream.until("draft")).data
    assert (first["at"], first["text"]) == (0, "Once upon")
    mind.go_on()
    assert (await until_line(stream, "assistant")).data["text"] == "Once upon a time."
    while (status := (await stream.until("status")).data)["state"] == "working":
        pass
    assert status["state"] == "ready"
    await working


async def test_one_who_comes_back_misses_nothing_and_hears_nothing_twice(own_hq, live):
    stream = await live.follow("?agent=scout", path=PATH)
    await stream.until("ready")
    await own_hq.do("chat.say", agent="scout", text="One")
    await Play(own_hq).runner(["First."]).run_once()
    last = (await until_line(stream, "assistant")).id
    stream.cut()
    await own_hq.do("chat.say", agent="scout", text="Two")
    await Play(own_hq).runner(["Second.", "Second."]).run_once()

    again = await live.follow("?agent=scout", path=PATH, last_event_id=last)

    assert [(await again.until("line")).data["text"] for _ in range(2)] == ["Two", "Second."]


async def test_whoever_joins_half_way_hears_what_was_said_so_far(own_hq, live):
    await own_hq.do("chat.say", agent="scout", text="Tell me")
    mind = Spoken(["Once upon ", "a time."])
    working = asyncio.create_task(Play(own_hq).runner(mind).run_once())
    await mind.spoke.wait()

    stream = await live.follow("?agent=scout", path=PATH)

    assert (await stream.until("draft")).data["text"] == "Once upon"
    mind.go_on()
    await working


async def test_without_a_credential_there_is_nothing_to_hear(live):
    assert (await live.follow(path=PATH, token="nonsense")).status == 401


async def test_a_place_that_is_none_is_refused(live):
    assert (await live.follow("?agent=scout&after=here", path=PATH)).status == 422


async def test_a_credential_that_ends_ends_the_stream(own_hq, live):
    token = (await own_hq.do("auth.token", device="tv", scopes=["read"]))["token"]
    stream = await live.follow("?agent=scout", path=PATH, token=token)
    await stream.until("ready")
    await own_hq.do("auth.revoke", id=(await own_hq.do("auth.whoami", _token=token))["credential"])

    assert "revoked" in (await stream.until("end")).data["why"]
