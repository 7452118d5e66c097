"""The live stream: every event once, in order, to those who may see it, whatever becomes of the connection."""

from __future__ import annotations

import asyncio
import random

import pytest

from tests.support.streams import Served, announcing, served


@pytest.fixture
def house(own_hq, settings):
    from hq.database.migrate import Migrated
    from hq.headquarters import Headquarters

    return Headquarters(settings, own_hq.address, own_hq.door, own_hq.token, own_hq.clock, Migrated((), 1))


@pytest.fixture
async def live(house):
    async with served(house) as server, announcing(house):
        yield server


async def create(hq, count: int, *, start: int = 0, token: str | None = None) -> list[str]:
    return [
        (await hq.do("memo.create", title=f"Memo {start + n}", content_md="x", _token=token or hq.token))["slug"]
        for n in range(count)
    ]


async def everything(hq, topic: str = "memo.created", token: str | None = None) -> list[str]:
    """Every settled id in order, as the verb tells it."""
    ids: list[str] = []
    after = None
    while True:
        page = await hq.do("events.list", topics=[topic], limit=500, after=after, _token=token or hq.token)
        ids += [item["id"] for item in page["items"]]
        if not (after := page.get("next")):
            return ids[::-1]


async def test_an_event_reaches_who_follows_with_what_it_says(live, own_hq):
    stream = await live.follow("?topic=memo.*")
    ready = await stream.until("ready")

    [slug] = await create(own_hq, 1)
    [event] = await stream.events(1)

    assert "text/event-stream" in stream.head
    assert event.data["topic"] == "memo.created"
    assert event.data["payload"]["slug"] == slug
    assert event.data["actor"].startswith("user:")
    assert event.id == event.data["id"]
    assert event.data["prev"] == ready.id


async def test_each_event_comes_once_and_names_the_one_before_it(live, own_hq):
    stream = await live.follow("?topic=memo.*")
    last = (await stream.until("ready")).id
    await create(own_hq, 20)

    events = await stream.events(20)

    assert [event.id for event in events] == await everything(own_hq)
    for event in events:
        assert event.data["prev"] == last
        last = event.id


async def test_only_the_wanted_topics_come(live, own_hq):
    stream = await live.follow("?topic=memo.archived&topic=task.*")
    await stream.until("ready")
    [slug] = await create(own_hq, 1)
    await own_hq.do("memo.archive", ref=slug)
    await own_hq.do("task.create", title="Call Ana")

    assert [e.data["topic"] for e in await stream.events(2)] == ["memo.archived", "task.created"]


async def test_the_past_is_read_from_any_position(live, own_hq):
    await create(own_hq, 5)
    async with asyncio.timeout(60):
        while len(ids := await everything(own_hq)) < 5:
            await asyncio.sleep(0.01)

    all_of_it = await (await live.follow("?topic=memo.created&after=0")).events(5)
    rest = await (await live.follow("?topic=memo.created&after=0", last_event_id=ids[2])).events(2)

    assert [e.id for e in all_of_it] == ids
    assert [e.id for e in rest] == ids[3:]


@pytest.mark.parametrize("after", ["nonsense", "1.99999", "-1", "1;2"])
async def test_a_position_that_is_none_is_refused(live, after):
    assert (await live.follow(f"?after={after}")).status == 422


async def test_a_position_of_another_database_is_refused(live):
    assert (await live.follow("?after=999999999")).status == 409


@pytest.mark.parametrize(
    "cuts", [pytest.param(100, marks=pytest.mark.slow), pytest.param(1_000, marks=pytest.mark.long)]
)
async def test_cut_again_and_again_every_event_comes_exactly_once(live, own_hq, cuts):
    """Readers are cut anywhere, also in the middle of an event, and each goes on behind its last whole one."""
    readers = [Reader(live, random.Random(seed)) for seed in range(5)]
    writing = asyncio.create_task(write_while_cut(own_hq, readers, cuts))
    await asyncio.gather(*(reader.read(writing) for reader in readers))

    ids = await everything(own_hq)
    assert sum(reader.cuts for reader in readers) >= cuts
    assert len(ids) == await writing
    for reader in readers:
        assert reader.seen == ids


class Reader:
    """Follows until it has seen all there is, and is cut at random all the while."""

    def __init__(self, live: Served, rng: random.Random) -> None:
        self._live, self._rng = live, rng
        self._last = "0"
        self.cuts = 0
        self.was_cut = asyncio.Event()
        self.seen: list[str] = []

    async def read(self, writing: asyncio.Task[int]) -> None:
        while not writing.done() or len(self.seen) < writing.result():
            stream = await self._live.follow("?topic=memo.created", last_event_id=self._last)
            cutting = asyncio.get_running_loop().call_later(self._rng.random() * 0.02, stream.cut)
            while said := await stream.next():
                if said.name == "message":
                    assert said.data["prev"] == self._last, "something was missed"
                    self.seen.append(said.id)
                self._last = said.id
            cutting.cancel()
            self.cuts += 1
            self.was_cut.set()


async def write_while_cut(hq, readers: list[Reader], cuts: int) -> int:
    """Something new for everyone after each reader's next cut, until there were so many."""
    written = 0
    while sum(reader.cuts for reader in readers) < cuts:
        written += len(await create(hq, 3, start=written))
        for reader in readers:
            reader.was_cut.clear()
        await asyncio.gather(*(reader.was_cut.wait() for reader in readers))
    return written


async def test_a_slow_reader_gets_everything_and_holds_up_nobody(live, own_hq, monkeypatch):
    monkeypatch.setattr("hq.stream.buffer.KEPT", 5)
    slow = await live.follow("?topic=memo.created")
    quick = await live.follow("?topic=memo.created")
    await slow.until("ready")
    await create(own_hq, 60)

    first = [e.id for e in await quick.events(60)]
    await create(own_hq, 60, start=60)  # what the slow one has not taken is no longer in memory
    later = [e.id for e in await slow.events(120)]

    assert later[:60] == first
    assert later == await everything(own_hq)


async def test_a_revoked_token_is_cut_off_by_word_and_not_by_looking(live, own_hq, monkeypatch):
    monkeypatch.setattr("hq.stream.hub.SWEEP", 3600)
    device = await own_hq.do("auth.token", device="phone")
    stream, other = await live.follow(token=device["token"]), await live.follow()
    await stream.until("ready")

    await own_hq.do("auth.revoke", id=device["id"])
    end = await stream.until("end")

    assert "revoked" in end.data["why"]
    assert await stream.next() is None
    assert (await live.follow(token=device["token"])).status == 401
    assert (await other.until("message")).data["topic"]


async def test_a_token_is_cut_off_when_it_expires(live, own_hq, clock):
    device = await own_hq.do("auth.token", device="phone", days=1)
    stream = await live.follow(token=device["token"])
    await stream.until("ready")

    clock.advance(days=2)
    assert "expired" in (await stream.until("end")).data["why"]


async def test_who_does_not_see_everything_is_told_of_their_own_and_of_what_the_whole_company_sees(live, own_hq):
    made = await own_hq.call("auth.token", service="intake", scopes=["read", "write"])
    token = made.data["token"]
    async with asyncio.timeout(60):
        while not (await own_hq.do("events.list", action=str(made.action_id)))["items"]:  # told before anybody follows
            await asyncio.sleep(0.01)
    topics = "topic=auth.*&topic=memo.*&topic=graph.*"
    now, founder = await live.follow(f"?{topics}", token=token), await live.follow(f"?{topics}")
    await now.until("ready")
    await founder.until("ready")

    await own_hq.do("auth.token", device="phone")  # nobody's but the founder's
    [theirs] = await create(own_hq, 1)
    [mine] = await create(own_hq, 1, start=5, token=token)
    seen, all_ = await now.events(2), await founder.events(3)
    again = await (await live.follow(f"?{topics}&after={all_[0].id}", token=token)).events(2)

    assert [event.data["topic"] for event in all_] == ["auth.token_issued", "memo.created", "memo.created"]
    assert [event.data["payload"]["slug"] for event in seen] == [theirs, mine]
    assert [event.id for event in again] == [event.id for event in seen]


async def test_a_token_that_may_not_read_gets_no_stream(live, own_hq):
    writer = await own_hq.do("auth.token", service="meter", scopes=["write:memo"])

    assert (await live.follow(token=writer["token"])).status == 403
    assert (await live.follow(token="nonsense")).status == 401


async def test_another_company_is_never_seen(live, own_hq):
    other = await own_hq.tenant("Other")
    theirs, ours = await live.follow("?topic=memo.*&after=0", token=other), await live.follow("?topic=memo.*")
    await ours.until("ready")
    our_slugs, their_slugs = await create(own_hq, 3), await create(own_hq, 3, start=10, token=other)

    assert [e.data["payload"]["slug"] for e in await theirs.events(3)] == their_slugs
    assert [e.data["payload"]["slug"] for e in await ours.events(3)] == our_slugs


async def test_silence_is_told(live, monkeypatch):
    monkeypatch.setattr("hq.stream.subscription.HEARTBEAT", 0.1)
    stream = await live.follow("?topic=memo.*")
    ready = await stream.until("ready")

    beat = await stream.until("heartbeat")
    again = await stream.until("heartbeat")

    assert beat.data["prev"] == ready.id
    assert again.data["prev"] == beat.id


async def test_a_browser_follows_with_its_cookie_and_only_from_our_pages(live, own_hq):
    link = await own_hq.do("auth.login")
    session = (await own_hq.do("auth.exchange", _token=link["code"]))["token"]
    cookie = f"hq_session={session}"

    ours = await live.follow(authorization="", cookie=cookie, sec_fetch_site="same-origin")
    foreign = await live.follow(authorization="", cookie=cookie, sec_fetch_site="cross-site")

    assert (ours.status, foreign.status) == (200, 403)


async def test_two_processes_tell_the_same_and_one_announcer_that_dies_is_replaced(house, own_hq):
    async with served(house) as here, served(house) as there:
        async with announcing(house):
            streams = [await s.follow("?topic=memo.created") for s in (here, there)]
            for stream in streams:
                await stream.until("ready")
            await create(own_hq, 30)
        await create(own_hq, 30, start=30)  # nobody announces these
        async with announcing(house), announcing(house):
            await create(own_hq, 30, start=60)
            got = [[e.id for e in await stream.events(90)] for stream in streams]

    assert got[0] == got[1] == await everything(own_hq)


async def test_nobody_is_kept_waiting_when_the_server_stops(live, own_hq):
    stream = await live.follow()
    await stream.until("ready")

    await live.hub.close()

    assert "stopping" in (await stream.until("end")).data["why"]
    assert (await live.follow()).status == 503


async def test_a_reader_who_left_is_forgotten(live):
    stream = await live.follow()
    await stream.until("ready")
    assert live.hub.readers == 1

    stream.cut()
    async with asyncio.timeout(60):
        while live.hub.readers:
            await asyncio.sleep(0.01)
