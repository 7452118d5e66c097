"""Dates and times that do not exist: asked about, and nothing is said to be set that is not."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hq.minds.scripted.dates import day
from hq.minds.scripted.mind import shipped
from hq.minds.scripted.schedule_phrases import changed
from tests.support.company import Hq

from .talk import Talk, tools_of

NOW = datetime(2026, 1, 1, 10, tzinfo=UTC)


@pytest.fixture
def talk(hq: Hq) -> Talk:
    return Talk(hq, shipped(), tools_of(hq.door.registry, "task", "project", "schedule"))


@pytest.mark.parametrize(
    "said",
    [
        "remind me on 31 February to pay",
        "remind me on Feb 30 at 25:00 to pay",
        "remind me on Feb 20 at 25:00 to pay",
        "remind me on Feb 20 at 9:75 to pay",
        "remind me at 25:00 to pay",
        "remind me on 2026-02-31 to pay",
        "remind me every day at 25:00 to pay",
        "remind me to pay on 31 February",
        "lembra-me 31 de fevereiro de pagar",
    ],
)
async def test_a_reminder_for_a_moment_that_does_not_exist_is_asked_about(talk: Talk, hq: Hq, said: str) -> None:
    answer = await talk.say(said)

    assert not (await hq.do("schedule.list"))["items"]
    assert "remind you" not in answer and "Eu lembro" not in answer, answer
    assert any(each in answer for each in ("no such day or time", "Esse dia ou hora não existe", "understand when")), (
        answer
    )


async def test_a_reminder_for_one_that_does_is_kept_as_it_is_said(talk: Talk, hq: Hq) -> None:
    await hq.do("agent.load")
    assert "I will remind you: Pay, Sat 28 Feb 2026" in await talk.say("remind me on 28 February to pay")
    (kept,) = (await hq.do("schedule.list"))["items"]
    assert kept["title"] == "Pay"


@pytest.mark.parametrize(
    "said",
    [
        "add a task to pay by 31 February",
        "add a task to pay by Feb 20 at 25:00",
        "create a project Rent by 31 February",
        "what day is 31 February?",
    ],
)
async def test_what_is_due_on_a_day_that_does_not_exist_is_asked_about(talk: Talk, hq: Hq, said: str) -> None:
    assert "no such day or time" in await talk.say(said)
    assert not talk.calls


async def test_a_task_is_not_moved_to_a_day_that_does_not_exist(talk: Talk, hq: Hq) -> None:
    await talk.say("add a task to pay tomorrow")
    assert "no such day or time" in await talk.say("actually, 31 February")
    (task,) = (await hq.do("task.list"))["items"]
    assert task["due"].startswith("2026-01-02")


def test_the_leap_day_is_the_next_one_there_is() -> None:
    assert day("29 February", NOW) == "2028-02-29"
    assert day("29 February", NOW.replace(year=2028, month=3)) == "2032-02-29"
    assert day("29 February 2027", NOW) == day("31 February", NOW) == day("2026-02-31", NOW) == ""
    assert day("tomorrow at 12am", NOW) == "2026-01-02T00:00:00Z"


def test_a_rhythm_at_no_time_of_day_is_none() -> None:
    assert changed({"cron": "0 7 * * *"}, "daily at 25:00", NOW) == ""
    assert changed({"cron": "0 7 * * *"}, "daily at 9:75", NOW) == ""


ONCE = {"once_at": "2026-11-19T09:00:00+00:00", "timezone": "UTC"}


@pytest.mark.parametrize(
    ("schedule", "words", "cron"),
    [
        (ONCE, "weekly", "0 9 * * 4"),
        (ONCE, "monthly", "0 9 19 * *"),
        (ONCE, "daily", "0 9 * * *"),
        (ONCE, "weekly at 10", "0 10 * * 4"),
        (ONCE | {"timezone": "America/New_York"}, "weekly", "0 4 * * 4"),
        ({"once_at": "2026-11-20T15:30:00Z", "timezone": "UTC"}, "weekly", "30 15 * * 5"),
        ({"cron": "0 9 * * 4", "timezone": "UTC"}, "monthly", "0 9 8 * *"),
        ({"cron": "30 8 * * *", "timezone": "UTC"}, "weekly", "30 8 * * 5"),
        ({"cron": "0 9 15 * *", "timezone": "UTC"}, "monthly at 10", "0 10 15 * *"),
    ],
)
def test_another_rhythm_keeps_the_day_and_the_hour_of_what_it_is_said_of(schedule: dict, words: str, cron: str) -> None:
    assert changed(schedule, words, NOW) == cron


@pytest.mark.parametrize(
    ("word", "rhythm"), [("weekly", "every Friday at 09:00"), ("monthly", "every month on the 2. at 09:00")]
)
async def test_a_reminder_comes_again_on_its_day_and_hour(talk: Talk, hq: Hq, word: str, rhythm: str) -> None:
    await hq.do("agent.load")
    await talk.say("remind me tomorrow at 9 to pay the flight school")
    assert rhythm in await talk.say(f"make that {word}")
