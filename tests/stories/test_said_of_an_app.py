"""What a founder without a model says of an app that was just made: its names, fields and kinds, and what of it was not done."""

from __future__ import annotations

import pytest

from tests.stories.test_first_story import changed, days, hired_for, said  # noqa: F401
from tests.support.days import Days
from tests.support.sandboxes import MISSING

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(MISSING), reason=str(MISSING))]


async def settings(days: Days, mission: str) -> str:  # noqa: F811
    return (await days.hq.do("mission.read_file", ref=mission, path="settings.py"))["text"]


async def latest(days: Days) -> dict:  # noqa: F811
    row = (await days.hq.do("mission.list"))["items"][0]
    return (await days.hq.do("mission.show", ref=row["slug"]))["props"]


async def test_names_and_fields_are_read_as_they_are_said(days: Days):  # noqa: F811
    mission = await hired_for(days, "I need a web app that tracks my workouts")
    await days.say("answer: As free text")

    assert "take back" not in await said(days, "I liked the old one better"), "nothing was changed yet"
    await days.pass_by()
    await days.say("rename the workouts tracker to Sweat")
    assert 'TITLE = "Sweat"' in await settings(days, mission)
    await days.say('call the workouts tracker "Hard Work"')
    assert 'TITLE = "Hard Work"' in await settings(days, mission)
    await days.say("add a field client to the workouts tracker")
    assert 'EXTRA = ("Client",)' in await settings(days, mission)

    told = await days.say("let it hum a tune for me")
    assert "1. “ask for a change of Web app that tracks my workouts: let it hum a tune for me”" in told, told

    await changed(days, mission, "Make it green.")
    assert "the files are as they were" in await said(days, "take the green back, I liked the old one better")
    assert 'COLOUR = "#1d4ed8"' in await settings(days, mission)
    assert (await latest(days))["status"] == "taken_back"


async def test_how_the_kinds_are_given_is_decided_anew_by_an_ordinary_change(days: Days):  # noqa: F811
    mission = await hired_for(days, "I need a web app that tracks my workouts")
    await days.say("answer: As free text")
    assert "KINDS = ()" in await settings(days, mission)

    await days.say("actually, from a list please: run, swim")
    assert 'KINDS = ("run", "swim")' in await settings(days, mission)
    made = await latest(days)
    assert made["status"] == "done", made
    assert [point["answer"] for point in made["decided"]] == ["Choose the kind from a list: run, swim"]
    assert made["decided"][0]["passed"] is True

    await days.say("add pilates to the kinds of the workouts tracker")
    assert 'KINDS = ("run", "swim", "pilates")' in await settings(days, mission)
    await days.say("kinds of the workouts tracker: bike, row")
    assert 'KINDS = ("bike", "row")' in await settings(days, mission)
    assert (await latest(days))["status"] == "done"


async def test_what_was_left_undone_of_a_change_is_told_and_asked_about(days: Days):  # noqa: F811
    mission = await hired_for(days, "Build me a flight tracker")
    await days.say("answer: As free text")

    await days.say("Change flight-tracker: Bigger letters for the aircraft. And make it green.")

    assert (await latest(days))["status"] != "done"
    [question] = (await days.hq.do("escalation.list", status="open"))["items"]
    assert question["title"].endswith("a model: Bigger letters for the aircraft"), question
    shown = await days.hq.do("escalation.show", ref=question["slug"])
    assert "Everything else is as it was" not in str(shown)

    await days.hq.do("ask.answer", ask=question["slug"], text="Leave it at that")
    await days.pass_by()
    assert "#15803d" in await settings(days, mission)
