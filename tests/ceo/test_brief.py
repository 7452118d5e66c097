"""What changed since you left: on demand, every morning, once a week; and nothing where nothing happened."""

from __future__ import annotations

from datetime import datetime

import pytest

from hq.ceo.rules import severity_of
from hq.engine.sessions.leases import Leases
from tests.support.jobs import JobHand
from tests.support.supervised import close


@pytest.fixture
def briefs(heart):
    return JobHand(heart.hq, "morning-brief", "weekly-digest")


async def morning(heart, briefs, at: str) -> int:
    heart.hq.clock.set(datetime.fromisoformat(at))
    return await briefs.run_once()


async def test_the_morning_brief_comes_at_seven_with_what_happened_and_only_then(heart, briefs):
    await morning(heart, briefs, "2026-01-01T12:00+00:00")  # from now on
    await heart.hq.do("tenant.set", time_zone="America/New_York")
    await heart.hq.do("mission.create", title="Count the birds")
    await heart.hq.do("mission.fail", ref="count-the-birds", why="It rained.")

    assert await morning(heart, briefs, "2026-01-02T11:59+00:00") == 0
    assert await morning(heart, briefs, "2026-01-02T12:00+00:00") == 1
    assert await morning(heart, briefs, "2026-01-02T12:01+00:00") == 0
    [card] = await heart.cards()
    assert "Count the birds: It rained." in card["text"] and card["kind"] == "report"

    assert await morning(heart, briefs, "2026-01-03T12:00+00:00") == 0, "nothing happened"
    assert await morning(heart, briefs, "2026-01-05T12:30+00:00") == 1, "the week"


async def test_a_morning_that_was_missed_is_made_up_for_once(heart, briefs):
    await morning(heart, briefs, "2026-01-01T12:00+00:00")
    heart.hq.clock.set(datetime.fromisoformat("2026-01-04T08:00+00:00"))
    await heart.hq.do("mission.create", title="Count the birds")
    await heart.hq.do("mission.fail", ref="count-the-birds", why="It rained.")

    sent = [await morning(heart, briefs, "2026-01-04T09:00+00:00") for _ in range(3)]

    assert sent == [1, 0, 0]


async def test_what_changed_since_you_left_begins_where_you_left(heart):
    await heart.hq.do("mission.create", title="Before")
    heart.hq.clock.advance(hours=2)
    chief = await heart.hq.agent("chief")
    heart.hq.clock.advance(hours=2)
    await heart.hq.do("memory.add", content="Birds like seeds.", _token=chief)

    found = await heart.hq.do("ceo.brief")

    assert found["news"] == 1 and "Birds like seeds" in found["text"]


async def test_what_you_do_now_does_not_move_where_you_left_and_asked_twice_it_tells_the_same(heart):
    await heart.hq.do("mission.create", title="Before")
    left = heart.hq.clock.now().isoformat()
    heart.hq.clock.advance(hours=9)

    seen = [(await heart.hq.do("ceo.brief"))["since"]]
    for _ in range(5):
        heart.hq.clock.advance(minutes=20)
        await heart.hq.do("task.create", title="Something")
        seen.append((await heart.hq.do("ceo.brief"))["since"])

    assert seen == [left] * 6


async def test_who_only_read_was_here_too(heart):
    await heart.hq.do("mission.create", title="Before")
    heart.hq.clock.advance(days=1)
    await heart.hq.do("ceo.brief")
    looked = heart.hq.clock.now().isoformat()
    heart.hq.clock.advance(days=1)
    assert (await heart.hq.do("ceo.brief"))["since"] == looked

    heart.hq.clock.advance(hours=1)
    await heart.hq.do("card.send", kind="report", title="Hi", _token=await heart.hq.agent("chief"))
    await heart.hq.do("chat.read")
    read = heart.hq.clock.now().isoformat()
    heart.hq.clock.advance(hours=1)
    assert (await heart.hq.do("ceo.brief"))["since"] == read
    assert (await heart.hq.do("ceo.brief", since="2026-01-01"))["since"].startswith("2026-01-01")


async def test_a_scheduled_run_that_finds_something_bad_is_told_and_one_that_does_not_is_not(heart):
    duty = JobHand(heart.hq, "schedule")
    await heart.hq.do("schedule.add", task="Check the disks.", when="every day at 12", name="Disks")
    for text in ("All is well.\nseverity: info", "Disk 3 is failing.\nSeverity: warning"):
        heart.hq.clock.advance(days=1)
        await duty.run_once()
        [claimed] = await Leases(heart.hq.door.pool, heart.hq.clock).claim(8)
        await close(heart, claimed, text=text)
        await heart.beat()

    [card] = [card for card in await heart.cards() if card["title"].startswith("Disks")]
    assert (card["kind"], card["severity"], card["text"]) == ("alert", "warning", "Disk 3 is failing.")


def test_a_run_that_failed_is_at_least_a_warning():
    assert severity_of("", failed=True) == "warning"
    assert severity_of("severity: critical", failed=True) == "critical"
    assert severity_of("fine", failed=False) == "info"
