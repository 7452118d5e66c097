"""What a founder says in words of their own changes what is built, is asked about where it says nothing, and is taken back by a word."""

from __future__ import annotations

import pytest

from tests.stories.test_first_story import days, hired_for  # noqa: F401
from tests.support.days import Days
from tests.support.jobs import JobHand
from tests.support.sandboxes import MISSING

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(MISSING), reason=str(MISSING))]


async def test_a_habit_tracker_takes_free_text_where_that_is_said_in_own_words(days: Days):  # noqa: F811
    mission = await hired_for(days, "build me a habit tracker web app")
    assert "Is that your answer" in await days.say("I'd rather type it myself")

    await days.say("yes")

    shown = (await days.hq.do("mission.show", ref=mission))["props"]
    assert shown["status"] == "done", shown
    assert "KINDS = ()" in (await days.hq.do("mission.read_file", ref=mission, path="settings.py"))["text"]


async def test_words_that_say_neither_are_asked_about_once_more(days: Days):  # noqa: F811
    mission = await hired_for(days, "Build me a flight tracker")
    await days.say("the nicer of them")
    await days.say("yes")
    [question] = (await days.hq.do("escalation.list", status="open"))["items"]
    assert "“the nicer of them” says neither to me" in question["title"], question

    await JobHand(days.hq, "heartbeat").run_once()  # its card is put into the conversation
    await days.say("As free text")

    assert (await days.hq.do("mission.show", ref=mission))["props"]["status"] == "done"
    assert "KINDS = ()" in (await days.hq.do("mission.read_file", ref=mission, path="settings.py"))["text"]


async def test_a_change_of_what_was_built_is_taken_back_by_a_word(days: Days):  # noqa: F811
    mission = await hired_for(days, "Build me a flight tracker")
    await JobHand(days.hq, "heartbeat").run_once()  # the card of the question is put into the conversation
    await days.say("From a list")
    before = (await days.hq.do("mission.read_file", ref=mission, path="settings.py"))["text"]
    days.hq.clock.advance(minutes=1)
    await days.hq.do("chat.say", text="Make it green")
    await days.runner.run_once()
    days.hq.clock.advance(minutes=1)  # who changes it reports when it is done, and not in the same instant
    await days.pass_by()
    assert (await days.hq.do("mission.read_file", ref=mission, path="settings.py"))["text"] != before

    told = await days.say("undo the last change")

    assert "I take back" in told, told
    assert (await days.hq.do("mission.read_file", ref=mission, path="settings.py"))["text"] == before


async def test_own_words_that_name_an_option_and_say_more_are_the_answer_as_on_the_card(days: Days):  # noqa: F811
    mission = await hired_for(days, "Build me a tracker of my workouts")
    await JobHand(days.hq, "heartbeat").run_once()  # its card is put into the conversation

    await days.say("a list please: run, swim, bike")

    assert (
        'KINDS = ("run", "swim", "bike")'
        in (await days.hq.do("mission.read_file", ref=mission, path="settings.py"))["text"]
    )


async def test_a_yes_is_for_the_words_that_were_asked_about(days: Days):  # noqa: F811
    mission = await hired_for(days, "Build me a tracker of my workouts")
    await days.say("I'd rather type it myself")
    assert "Is “I'd rather type it myself” your answer" in await days.say("blue is a fine thing for gyms")

    await days.say("yes")

    assert (await days.hq.do("mission.show", ref=mission))["props"]["status"] == "done"
    assert "I'd rather type it myself" in str((await days.hq.do("escalation.list"))["items"][0]) + str(
        await days.hq.do("escalation.show", ref=(await days.hq.do("escalation.list"))["items"][0]["slug"])
    )
