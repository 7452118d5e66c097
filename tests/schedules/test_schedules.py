"""What starts by the clock: in words, by the clocks of a place, once per occurrence, and once for what was missed."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hq.door.tx import Call
from hq.errors import Refused
from hq.schedules.phrases import parse_when
from tests.support.jobs import JobHand, dying
from tests.support.supervised import announced

NOW = datetime(2026, 3, 27, 10, tzinfo=UTC)  # a Friday


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "cron"),
    [
        ("every weekday at 7", "0 7 * * 1-5"),
        ("Every Weekday at 7:30pm", "30 19 * * 1-5"),
        ("daily at 6pm", "0 18 * * *"),
        ("every day", "0 7 * * *"),
        ("every monday and thursday at 9am", "0 9 * * 1,4"),
        ("mondays at 9", "0 9 * * 1"),
        ("weekends at 10", "0 10 * * 0,6"),
        ("weekly on friday at 17:00", "0 17 * * 5"),
        ("every week", "0 7 * * 1"),
        ("every 15 minutes", "*/15 * * * *"),
        ("hourly", "0 * * * *"),
        ("every 2 hours", "0 */2 * * *"),
        ("monthly on the 15th at 8:30", "30 8 15 * *"),
        ("every morning", "0 7 * * *"),
        ("every day at noon", "0 12 * * *"),
        ("each sunday at 12 am", "0 0 * * 0"),
        ("every evening at 7", "0 19 * * *"),
        ("every day at 7 in the evening", "0 19 * * *"),
        ("monthly on the 1st and 15th at 8", "0 8 1,15 * *"),
        ("tuesdays and thursdays at 10:15", "15 10 * * 2,4"),
        ("0 7 * * 1-5", "0 7 * * 1-5"),
    ],
)
def test_words_that_say_when(said, cron):
    assert parse_when(said, NOW, "Europe/Lisbon").cron == cron


@pytest.mark.parametrize(
    ("said", "moment"),
    [
        ("tomorrow at 9", "2026-03-28T09:00"),
        ("2026-03-29 at 9", "2026-03-29T08:00"),  # clocks go forward in Lisbon that night
        ("in 2 hours", "2026-03-27T12:00"),
        ("today at 23:30", "2026-03-27T23:30"),
        ("2026-04-01T09:00:00Z", "2026-04-01T09:00"),
        ("2026-04-01T09:00", "2026-04-01T08:00"),
        ("tomorrow evening at 8", "2026-03-28T20:00"),
    ],
)
def test_words_that_name_one_moment(said, moment):
    assert parse_when(said, NOW, "Europe/Lisbon").once == utc(moment)


@pytest.mark.parametrize(
    "said",
    [
        "soon", "at noon", "every friday at 25", "today at 9", "31 2 30 2 *", "every 7 minutes",
        "every day at 7 and 19", "every 2 weeks on monday", "every other monday at 9", "every 2 months",
        "every weekday at 7 except friday", "on the last day of every month", "every month on the last day",
        "tomorrow at 9 and 17", "every night at 2", "2026-13-01T09:00",
    ],
)  # fmt: skip
def test_what_does_not_say_when_is_refused(said):
    with pytest.raises(Refused):
        parse_when(said, NOW, "Europe/Lisbon")


@pytest.fixture
async def hands(own_hq):
    await own_hq.do("agent.load")
    own_hq.clock.set(NOW)
    return JobHand(own_hq, "schedule")


async def started(hq) -> list[str]:
    found = (await hq.do("session.list", limit=100))["items"]
    return [item["trigger"] for item in found if "schedule" in item["trigger"]]


async def test_it_starts_at_its_hour_whatever_the_clocks_did_that_night(own_hq, hands):
    made = await own_hq.do("schedule.add", task="Look around.", when="every day at 7", timezone="Europe/Lisbon")
    assert made["starts"] == "2026-03-28T07:00:00+00:00"
    for at, many in (
        ("2026-03-28T06:59", 0),
        ("2026-03-28T07:00", 1),
        ("2026-03-29T05:59", 1),
        ("2026-03-29T06:00", 2),
    ):
        own_hq.clock.set(utc(at))
        await hands.run_once()
        await hands.run_once()
        assert len(await started(own_hq)) == many


async def test_what_was_missed_is_made_up_for_once(own_hq, hands):
    await own_hq.do("schedule.add", task="Look around.", when="every 15 minutes")
    own_hq.clock.advance(days=3)

    assert [await hands.run_once() for _ in range(3)] == [1, 0, 0]


async def test_once_is_once(own_hq, hands):
    made = await own_hq.do("schedule.add", task="Call Ana.", when="in 2 hours")
    own_hq.clock.advance(hours=3)
    await hands.run_once()
    own_hq.clock.advance(days=3)
    await hands.run_once()

    assert len(await started(own_hq)) == 1
    assert (await own_hq.do("schedule.show", ref=made["slug"]))["props"]["status"] == "ended"


async def test_a_paused_one_rests_and_does_not_catch_up(own_hq, hands):
    made = await own_hq.do("schedule.add", task="Look around.", when="every day at 7")
    await own_hq.do("schedule.pause", ref=made["slug"])
    own_hq.clock.advance(days=3)
    assert await hands.run_once() == 0
    await own_hq.do("schedule.resume", ref=made["slug"])
    assert await hands.run_once() == 0

    own_hq.clock.advance(days=1)
    assert await hands.run_once() == 1
    await own_hq.do("schedule.remove", ref=made["slug"])
    own_hq.clock.advance(days=3)
    assert await hands.run_once() == 0


async def test_a_call_is_made_once_in_the_agents_name_even_if_nobody_wrote_down_that_it_was(own_hq, hands):
    args = {"title": "Water the plants"}
    await own_hq.do("schedule.add", when="every day at 7", verb="task.create", arguments=args, name="Plants")
    own_hq.clock.advance(days=1)
    made_and_killed = dying(own_hq, "schedule", before="schedule.run")
    await made_and_killed.runs()

    await hands.run_once()
    await hands.run_once()

    tasks = (await own_hq.do("task.list"))["items"]
    assert [task["title"] for task in tasks] == ["Water the plants"]
    made = [each for each in (await own_hq.do("action.list"))["items"] if each["verb"] == "task.create"]
    assert {each["actor"] for each in made} == {"agent:chief"}


async def test_what_is_the_founders_alone_cannot_be_scheduled(own_hq, hands):
    outcome = await own_hq.call(
        "schedule.add", when="every day", verb="grant.add", arguments={"actor": "x", "verb": "a.b"}
    )

    assert outcome.error["code"] == "invalid" and "founder" in outcome.error["message"]


async def test_the_next_starts_are_listed_soonest_first(own_hq, hands):
    await own_hq.do("schedule.add", task="Late.", when="every day at 18")
    await own_hq.do("schedule.add", task="Early.", when="every day at 7")

    found = (await own_hq.do("schedule.next", count=2))["items"]

    assert [item["at"][:16] for item in found] == [
        "2026-03-27T18:00", "2026-03-28T07:00", "2026-03-28T18:00", "2026-03-29T07:00",
    ]  # fmt: skip


async def test_an_agent_schedules_for_itself_and_only_what_it_may_call(own_hq, hands):
    await own_hq.do("agent.create", name="scout", role="Researcher")
    narrow = await own_hq.agent("scout", scopes=["read", "write:schedule"])
    sneak = {"when": "in 1 minute", "verb": "task.create", "arguments": {"title": "Sneaked"}}

    as_another = await own_hq.call("schedule.add", **sneak, agent="operator", _token=narrow)
    beyond = await own_hq.call("schedule.add", **sneak, agent="scout", _token=narrow)
    in_words = await own_hq.call(
        "schedule.add", task="Wire me money", when="in 1 minute", agent="operator", _token=narrow
    )
    founders = await own_hq.do("schedule.add", task="Look around.", when="every day")
    removed = await own_hq.call("schedule.remove", ref=founders["slug"], _token=narrow)

    assert beyond.error["code"] == "forbidden"
    assert {each.error["code"] for each in (as_another, in_words, removed)} == {"cross_scope_violation"}
    own = await own_hq.do("schedule.add", task="Look at the shop.", when="every day", agent="scout", _token=narrow)
    await own_hq.do("schedule.remove", ref=own["slug"], _token=narrow)
    chief = await own_hq.agent("chief")
    assert await own_hq.do("schedule.add", task="Look at the shop.", when="every day", agent="scout", _token=chief)


async def test_the_mark_of_what_came_from_outside_goes_with_the_scheduled_call(own_hq, hands):
    args = {"when": "in 1 minute", "verb": "task.create", "arguments": {"title": "Order the tea"}}
    await own_hq.door.call(Call("schedule.add", args, own_hq.token, taint=frozenset({"web:shop.example"})))
    own_hq.clock.advance(minutes=2)

    await hands.run_once()

    assert (await own_hq.do("task.show", ref="order-the-tea"))["taint"] == ["web:shop.example"]


async def told_to_fail(hq) -> list[str]:
    await announced(hq)
    found = (await hq.do("events.list", limit=100))["items"]
    return [item["payload"]["why"] for item in found if item["topic"] == "schedule.failed"]


async def test_what_an_agent_that_is_gone_was_to_do_is_said_once_and_rests(own_hq, hands):
    await own_hq.do("agent.create", name="scout", role="Researcher")
    made = await own_hq.do("schedule.add", task="Look at the shop.", when="every hour", agent="scout")
    await own_hq.do("agent.archive", ref="scout")
    for _ in range(3):
        own_hq.clock.advance(hours=1)
        await hands.run_once()

    assert await started(own_hq) == [] and len(await told_to_fail(own_hq)) == 1
    assert (await own_hq.do("schedule.show", ref=made["slug"]))["props"]["status"] == "paused"


async def test_what_was_for_one_time_and_could_not_be_started_is_said(own_hq, hands):
    await own_hq.do("agent.create", name="scout", role="Researcher")
    await own_hq.do("schedule.add", task="Look at the shop.", when="in 1 hour", agent="scout")
    await own_hq.do("agent.pause", agent="scout")
    own_hq.clock.advance(hours=2)

    await hands.run_once()

    assert await told_to_fail(own_hq) == ["scout is paused, and it was for this one time"]


async def test_what_the_founder_set_by_the_clock_ends_with_a_yes(own_hq, hands):
    founders = (await own_hq.do("schedule.add", task="Look at the shop.", when="every day"))["slug"]
    chief = await own_hq.agent("chief")
    own = (await own_hq.do("schedule.add", task="Look at the mail.", when="every day", _token=chief))["slug"]

    for verb in ("schedule.pause", "schedule.remove"):
        asked = await own_hq.call(verb, ref=founders, _token=chief)
        assert asked.error["code"] == "waiting", asked.error
    assert (await own_hq.do("schedule.show", ref=founders))["props"]["status"] == "active"
    assert (await own_hq.call("schedule.pause", ref=own, _token=chief)).ok


async def test_what_the_founder_ended_goes_on_by_the_founders_word_alone(own_hq, hands):
    chief = await own_hq.agent("chief")
    slug = (await own_hq.do("schedule.add", task="Look at the mail.", when="every day", _token=chief))["slug"]
    await own_hq.do("schedule.remove", ref=slug, _token=chief)
    assert (await own_hq.call("schedule.resume", ref=slug, _token=chief)).ok, "what it ended itself"

    await own_hq.do("schedule.remove", ref=slug)
    refused = await own_hq.call("schedule.resume", ref=slug, _token=chief)

    assert refused.error["code"] == "cross_scope_violation" and "by the founder" in refused.error["message"]
    assert (await own_hq.call("schedule.resume", ref=slug)).ok


@pytest.mark.parametrize(
    ("verb", "arguments"),
    [("ask.answer", {"ask": "x", "option": "yes"}), ("session.fork", {"id": "x", "at": 1})],
)
async def test_the_clock_makes_no_call_that_who_sets_it_could_not(own_hq, hands, verb, arguments):
    await own_hq.do("agent.create", name="scout", role="Researcher")
    scout = await own_hq.agent("scout", scopes=["read", "write"])

    refused = await own_hq.call("schedule.add", when="every day", verb=verb, arguments=arguments, _token=scout)

    assert refused.error["code"] in ("invalid", "forbidden", "cross_scope_violation"), refused
