"""A founder without a model answers in words of their own: what the house takes is one voice, and what was settled is not spoken of again."""

from __future__ import annotations

from typing import Any

import pytest

from hq.asks.interpreter import AskCandidate, HouseList, TakenAnswer, read
from hq.asks.plain_words import plain_answer
from tests.support.days import Days

from .conftest import approval, escalation, question, review


@pytest.fixture
async def days(own_hq) -> Days:
    made = Days(own_hq)
    await own_hq.do("agent.load")
    await made.pass_by()
    return made


async def put(hq, made) -> None:
    """Its card in the conversation."""
    await hq.do("card.send", kind="attention", ask=made.slug)
    hq.clock.advance(minutes=1)


async def props(hq, noun: str, ref: str) -> dict[str, Any]:
    return (await hq.do(f"{noun}.show", ref=ref))["props"]


async def stopped(hq) -> list[str]:
    return [each["scope"] for each in (await hq.do("freeze.list"))["items"]]


async def hired_just_now(days: Days) -> None:
    """A call that waited came back, and the CEO has not spoken of it yet."""
    await days.say("hire a developer called Forge")
    [asked] = (await days.hq.do("approval.list", status="pending"))["items"]
    await days.hq.do("approval.approve", ref=asked["slug"])


async def test_own_words_are_recognised_behind_something_else_that_is_said_in_the_same_breath(days):
    await days.say("hello")
    made = await escalation(days.hq)
    await put(days.hq, made)
    await hired_just_now(days)
    told = await days.say("stripes, like a zebra")
    assert "Forge" in told and "Is that your answer to “Chief asks: Which one?”" in told, told

    told = await days.say("yes")

    assert (await props(days.hq, "escalation", made.slug))["resolution"] == "stripes, like a zebra", told


async def test_of_what_is_said_in_one_breath_a_permission_is_given_by_no_yes(days):
    await days.say("hello")
    await hired_just_now(days)
    made = await approval(days.hq)
    told = await days.say("sure, go ahead and do that thing for him")
    assert "Forge" in told and "This waits for your word" in told, told

    await days.say("yes")

    assert (await props(days.hq, "approval", made.slug))["status"] == "pending"


@pytest.mark.parametrize(
    ("text", "chosen"),
    [("1", "red"), ("2", "blue"), ("the second one, please", "blue"), ("option one", "red"), ("two", "blue"),
     ("o primeiro", "red"), ("a segunda opção", "blue"), ("número 2", "blue"), ("dois", "blue"),
     ("the third", None), ("3", None), ("1 or 2", None)],
)  # fmt: skip
@pytest.mark.parametrize("before", ["yes", "stripes, like a zebra"])
def test_an_option_is_named_by_its_number_where_the_options_were_read_out(before, text, chosen):
    asked = AskCandidate("which", "Which one?", [("red", "Red"), ("blue", "Blue")], takes_text=True, spoken_since=True)

    found = read(text, [asked], None, HouseList(["which"], plain_answer(before), said=before))

    assert (found.option if isinstance(found, TakenAnswer) else None) == chosen, found


def test_a_number_gives_no_permission_that_was_not_listed():
    asked = AskCandidate(
        "hire", "Hire Forge", [("yes", "Approve"), ("no", "Decline")], permission=True, spoken_since=True
    )

    for text in ("1", "two", "one"):
        assert not isinstance(read(text, [asked], None, HouseList(["hire"], None, said="stripes")), TakenAnswer)


async def test_the_number_of_an_option_answers_the_question(days):
    await days.say("hello")
    made = await escalation(days.hq)
    await put(days.hq, made)
    assert "Which of these is your answer to" in await days.say("yes")

    await days.say("1")

    assert (await props(days.hq, "escalation", made.slug))["resolution"] == "Red"


async def test_an_options_own_words_answer_a_question_that_was_not_shown_here(days):
    """README: the hire is approved by a word, and the question of who was hired by another, with no inbox between."""
    await days.say("hello")
    made = await review(days.hq)
    await put(days.hq, made)

    said = await days.hq.do("chat.say", text="The Weekly", shown="nothing")

    assert said["house"].startswith("Taken as your answer"), said
    assert (await props(days.hq, "review", made.slug))["status"] != "open"


async def test_of_a_question_that_was_not_shown_an_option_is_not_certain_where_something_else_was_asked(days):
    await days.say("hello")
    made = await review(days.hq)
    await put(days.hq, made)
    await days.say("remind me on the 31st of February to swim")

    said = await days.hq.do("chat.say", text="The Weekly", shown="nothing")

    assert said["house"].startswith("Nothing was decided"), said
    assert (await props(days.hq, "review", made.slug))["status"] == "open"


@pytest.mark.parametrize(
    ("make", "text"), [(escalation, "Blue"), (question, "Green."), (approval, "yes"), (approval, "no")]
)
async def test_what_the_house_took_is_said_once_and_heard_by_no_script(days, make, text):
    await days.say("hello")
    made = await make(days.hq)
    await put(days.hq, made)

    told = await days.say(text)
    if make is question:
        told = await days.say("yes")
    assert told.startswith("Taken as your answer") and "\n" not in told, told

    told = await days.say("what time is it?")
    assert told.startswith("It is ") and "\n" not in told, told


@pytest.mark.parametrize(
    ("between", "again"),
    [
        ("what is going on?", "stop everything"),
        ("sing me a song", "Stop everything!"),
        ("what time is it?", "pára tudo"),
        ("what is going on?", "yes, stop all work now"),
    ],
)
async def test_stop_everything_said_again_stops_whatever_was_said_between(days, between, again):
    await days.say("stop everything")
    await days.say(between)

    told = await days.say(again)

    assert await stopped(days.hq) == ["all"], told
    assert "Taken as your answer" in told and "That is yours to do" not in told and "Nothing was decided" not in told, (
        told
    )


@pytest.mark.parametrize(
    "words", ["yes", "stop everything tomorrow", "should I stop everything?", "do not stop everything"]
)
async def test_what_does_not_say_so_stops_nothing(days, words):
    await days.say("stop everything")
    await days.say("what is going on?")

    await days.say(words)

    assert await stopped(days.hq) == []


@pytest.mark.parametrize("words", ["go on", "Go on as it is", "continua"])
async def test_go_on_leaves_all_as_it_is(days, words):
    await days.say("stop everything")
    await days.say("what is going on?")

    told = await days.say(words)

    assert "Taken as your answer to “Stop everything?”" in told and "“Go on as it is”" in told, told
    assert await stopped(days.hq) == [] and (await days.hq.do("ask.list"))["items"] == []


async def test_what_goes_on_again_is_said_once(days):
    await days.say("stop everything")
    await days.say("stop everything")

    told = await days.say("let it go on")

    assert told == "I let it go on: nothing is stopped any more." and await stopped(days.hq) == []
    assert (await days.say("what time is it?")).startswith("It is ")


async def test_what_was_settled_is_not_spoken_of_before_the_next_answer(days):
    """The CEO's thanks for a hire, and what it says to an undo, do not come glued to the answer to something else."""
    await days.say("I need a web app that tracks my flight hours")
    [asked] = (await days.hq.do("approval.list", status="pending"))["items"]
    await days.hq.do("approval.approve", ref=asked["slug"])
    await days.pass_by()
    assert "Done: Hire agent “Forge”" in (await days.hq.do("chat.history"))["items"][-1]["text"]
    assert (await days.say("what time is it?")).startswith("It is ")

    await days.say("add a task to buy fuel")
    assert (await days.say("undo that")).startswith("I take back")
    assert (await days.say("what time is it?")).startswith("It is ")
