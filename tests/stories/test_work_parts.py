"""Two things prepared in parallel by two agents (story 5): the whole has what its parts made, and its end is told once."""

from __future__ import annotations

import asyncio
import zipfile
from io import BytesIO
from pathlib import Path

import psycopg
import pytest

from hq.missions import completion
from tests.support.desk import desk
from tests.support.firm import Firm, firm, own_firm
from tests.support.heart import Heart
from tests.support.passable import tmp_path
from tests.support.play import Told, texts
from tests.support.sandboxes import MISSING
from tests.support.story_worker import worker

__all__ = ["firm", "own_firm", "tmp_path"]

pytestmark = pytest.mark.skipif(bool(MISSING), reason=str(MISSING))
MADE = {"price-list": ("forge", "prices.csv", "what,price\ntea,3"), "letter": ("scout", "letter.md", "# Dear Ana")}
SILENT = '<task-complete reason="nothing to add" memory_entry_count="0"/>'


class Parallel:
    """A whole that the CEO gave out in two parts, in the founder's conversation."""

    def __init__(self, firm: Firm) -> None:
        self.firm, self.hq, self.heart = firm, firm.hq, Heart(firm.hq)
        self.mind = Told(lambda ask: SILENT)

    async def begin(self) -> None:
        await self.hq.do("agent.load")
        await self.hq.do("ceo.quiet", hours="off")
        await self.hq.do("chat.say", text="Prepare a price list and a letter for Friday.")
        await worker(self, self.mind).run_once()
        self.chief = await self.hq.agent("chief", scopes=["read", "write"])
        await self.hq.do("mission.create", title="For Friday", _token=self.chief)
        for part, (agent, file, _) in MADE.items():
            title = part.capitalize().replace("-", " ")
            made = {"title": title, "parent": "for-friday", "deliverables": [f"file:{file}"]}
            assert (await self.hq.do("mission.create", _token=self.chief, **made))["slug"] == part
            await self.hq.do("mission.assign", ref=part, to=agent, _token=self.chief)
            await self.hq.do("mission.accept", ref=part)

    async def done(self, *parts: str) -> list[str]:
        """These are handed in; what the CEO was asked with."""
        before = len(self.mind.asked)
        await self.handed_in(*parts)
        await self.passes()
        asked = [ask for ask in self.mind.asked[before:] if "chief" in ask.instructions]
        return [next(text for text in reversed(texts(ask.messages)) if "New report" in text) for ask in asked]

    async def handed_in(self, *parts: str) -> None:
        for part in parts or MADE:
            agent, file, text = MADE[part]
            at = await desk(self.firm, part, agent)
            await at.write(file, text)
            await at.do("mission.submit", ref=part, outcome=f"{file} is there.")

    async def passes(self) -> None:
        await self.heart.beat(minutes=1)
        while await worker(self, self.mind).run_once():
            await self.heart.beat(minutes=1)

    async def card(self) -> dict:
        (card,) = [each for each in await self.heart.cards() if each.get("about") == "for-friday"]
        return card

    async def said(self) -> list[str]:
        return [each["text"] for each in (await self.hq.do("chat.history"))["items"]]


@pytest.fixture
async def parallel(own_firm) -> Parallel:
    made = Parallel(own_firm)
    await made.begin()
    return made


async def test_story5_what_the_parts_made_is_listed_read_and_downloaded_by_the_whole(parallel):
    await parallel.done()
    hq, chief = parallel.hq, parallel.chief

    listed = await hq.do("mission.files", ref="for-friday", _token=chief)
    letter = await hq.do("mission.read_file", ref="for-friday", path="letter/letter.md", _token=chief)
    packed = await hq.do("mission.download", ref="for-friday")
    changed = await hq.do("mission.changes", ref="for-friday")

    assert [each["path"] for each in listed["items"]] == ["letter/letter.md", "price-list/prices.csv"]
    assert [(each["mission"], each["opens_as"]) for each in listed["parts"]] == [
        ("price-list", "document"), ("letter", "document"),
    ]  # fmt: skip
    assert letter["text"] == "# Dear Ana"
    names = zipfile.ZipFile(BytesIO(Path(packed["path"]).read_bytes())).namelist()  # noqa: ASYNC240
    assert sorted(names) == ["for-friday/letter/letter.md", "for-friday/price-list/prices.csv"]
    assert {each["path"] for each in changed["items"]} == {"letter/letter.md", "price-list/prices.csv"}


async def test_story5_the_whole_opens_as_what_its_parts_made_and_says_which_part_is_to_be_changed(parallel):
    await parallel.done()

    opened = await parallel.hq.do("mission.open", ref="for-friday")
    change = await parallel.hq.call("mission.change", ref="for-friday", words="Make it friendlier.")

    assert opened["path"] == "/missions/for-friday/files"
    assert "`hq mission open letter`" in opened["why"]
    assert change.code == "invalid" and "hq mission change letter" in change.error["hint"]


async def test_story5_a_whole_of_one_part_opens_as_that_part(parallel):
    await parallel.done("letter")

    opened = await parallel.hq.do("mission.open", ref="for-friday")

    assert (opened["mission"], opened["opens_as"]) == ("letter", "document")
    assert opened["path"] == "/missions/letter/files/letter.md"


async def test_story5_the_ceo_reads_what_came_of_the_parts_in_one_call(parallel):
    await parallel.done()

    shown = (await parallel.hq.do("mission.show", ref="for-friday", _token=parallel.chief))["now"]

    assert shown["parts"][0] == "2 of 2 done"
    assert set(shown["parts"][1:]) == {
        'price-list: done: "prices.csv is there."',
        'letter: done: "letter.md is there."',
    }
    assert "mission files for-friday" in shown["opens"]


async def test_story5_the_end_of_a_whole_is_one_card_with_what_its_parts_made(parallel):
    first = await parallel.done("price-list")
    assert "1 of 2 are done" in first[0] and "with the whole" in first[0]
    last = await parallel.done("letter")

    card = await parallel.card()
    assert len(last) == 1 and "2 of 2 are done" in last[0] and "shown this on a card" in last[0]
    assert "`<task-complete/>` alone" in last[0], "what the house asks for stands there as it is to be said"
    assert card["text"] == "Its parts are done: Price list: prices.csv is there.; Letter: letter.md is there."
    assert [each["label"] for each in card["offers"]] == ["Open", "Files", "Changes"]


WAITS = """select exists (select from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database()
                         where l.locktype = 'advisory' and not l.granted)"""


async def test_story5_parts_that_end_at_the_same_moment_are_a_whole_all_the_same(parallel, monkeypatch):
    """The first end is held before its commit until the other is over, or waits for it."""
    desks = {part: await desk(parallel.firm, part, agent) for part, (agent, _, _) in MADE.items()}
    for part, (_, file, text) in MADE.items():
        await desks[part].write(file, text)
    tell, other, held = completion.tell, asyncio.Event(), asyncio.Event()

    async def told(*args, **more):
        if not held.is_set():
            held.set()
            async with await psycopg.AsyncConnection.connect(parallel.hq.address.url, autocommit=True) as conn:
                while not other.is_set() and (await (await conn.execute(WAITS)).fetchone()) == (False,):
                    await asyncio.sleep(0)
        return await tell(*args, **more)

    async def second():
        await held.wait()
        await desks["letter"].do("mission.submit", ref="letter", outcome="There.")
        other.set()

    monkeypatch.setattr(completion, "tell", told)
    await asyncio.gather(desks["price-list"].do("mission.submit", ref="price-list", outcome="There."), second())

    assert await parallel.firm.status("for-friday") == "review"


@pytest.mark.parametrize("by", ["founder", "chief"])
async def test_one_end_is_one_card_whoever_accepts_it(parallel, by):
    await parallel.done()
    before, asked = await parallel.card(), len(parallel.mind.asked)

    if by == "founder":
        await parallel.hq.do("card.press", card=before["id"], button="accept")
    else:
        await parallel.hq.do("mission.sign_off", ref="for-friday", _token=parallel.chief)
    await parallel.passes()

    assert await parallel.firm.status("for-friday") == "done"
    card = await parallel.card()
    assert card["id"] == before["id"] and card["offers"] == before["offers"]
    assert card["state"] == ("pressed" if by == "founder" else "over")
    assert card.get("became") == (None if by == "founder" else "for-friday is done")
    assert len(parallel.mind.asked) == asked, "nothing is left for a mind to do"


async def test_who_has_nothing_to_add_to_a_card_says_nothing(parallel):
    before = await parallel.said()

    await parallel.done()

    said = (await parallel.said())[len(before) :]
    assert said == ["For Friday is done, and waits for chief's sign-off, or yours"], "one event, one telling"


async def test_a_report_does_not_wait_for_a_turn_to_end(parallel):
    hq, seen = parallel.hq, []

    class Looking(Told):
        """Somebody looks at the conversation while it thinks."""

        async def answer(self, ask, *, on_text=None):
            reply = await super().answer(ask, on_text=on_text)
            if len(self.asked) == 1:
                await parallel.handed_in()
                await parallel.heart.beat(minutes=1)
                seen.extend((await hq.do("chat.history"))["items"])
            return reply

    parallel.mind = Told(lambda ask: SILENT)
    await hq.do("chat.say", text="How is it going?")
    await worker(parallel, Looking(["It goes well."])).run_once()

    shown = [each for each in seen if "For Friday is done" in each["text"]]
    lines = (await hq.do("chat.history"))["items"]
    assert len(shown) == 1 and [each["id"] for each in lines].count(shown[0]["id"]) == 1
    assert [each["text"] for each in lines][-2:] == ["It goes well.", shown[0]["text"]], (
        "and stands behind what was said"
    )


async def test_what_is_moot_before_it_was_shown_is_not_shown_and_the_end_is(parallel):
    hq = parallel.hq
    await hq.do("ceo.quiet", hours="00:00-23:59")
    await parallel.handed_in()
    hq.clock.advance(minutes=20)
    await parallel.passes()
    await hq.do("mission.sign_off", ref="for-friday", _token=parallel.chief)
    await parallel.passes()
    await hq.do("ceo.quiet", hours="off")
    hq.clock.advance(days=1)
    await parallel.passes()

    said = [each for each in await parallel.said() if each.startswith("For Friday is done")]
    moot, end = sorted(
        (each for each in await parallel.heart.cards() if each.get("about") == "for-friday"), key=lambda c: c["id"]
    )
    assert said == ["For Friday is done"] and (moot["state"], end["state"]) == ("over", "open")
    assert {"name": "signed off by", "value": "chief"} in end["facts"]
