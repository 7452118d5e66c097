"""What a founder without a model says next, and what is meant by it: the last thing, another time, an answer in plain words."""

from __future__ import annotations

import pytest

from hq.context import window as context_window
from hq.minds.scripted.functions import change_once
from hq.minds.scripted.mind import shipped
from hq.minds.scripted.schedule_phrases import later_times
from hq.new_request import wished_for
from hq.web.stream_html import drawn
from tests.stories.test_without_a_model import Conversation
from tests.support.play import house  # noqa: F401
from tests.support.searching import catch_up
from tests.support.story_worker import worker


@pytest.fixture
def chat(house) -> Conversation:  # noqa: F811
    return Conversation(house)


async def due(chat: Conversation) -> dict[str, str | None]:
    return {each["title"]: (each.get("due") or "")[:10] for each in (await chat.house.hq.do("task.list"))["items"]}


async def reminders(chat: Conversation) -> dict[str, str]:
    rows = (await chat.house.hq.do("schedule.list"))["items"]
    return {each["title"]: each.get("once_at") or each["cron"] for each in rows if each["status"] == "active"}


async def test_another_day_is_for_what_was_spoken_of_last(chat):
    await chat.say("add a task to file the taxes")
    await chat.say("remind me tomorrow at 8 to swim")

    told = await chat.say("actually, on Friday")
    assert "Swim" in told and (await due(chat))["File the taxes"] == "", told
    swims = (await reminders(chat))["Swim"]

    told = await chat.say("add a task to buy fuel")
    assert "Buy fuel" in await chat.say("actually, on Saturday")
    assert (await due(chat))["Buy fuel"] and (await reminders(chat))["Swim"] == swims

    await chat.say("add a task to wash the plane")
    await chat.say("mark wash the plane done")
    before = await due(chat)
    told = await chat.say("actually, on Sunday")
    assert "What shall be" in told and await due(chat) == before and (await reminders(chat))["Swim"] == swims, told
    await chat.say("1")
    assert await due(chat) != before


async def test_a_reminder_is_taken_back_and_so_is_its_end(chat):
    await chat.say("remind me tomorrow at 8 to swim")
    assert "I take back" in await chat.say("undo that")
    assert await reminders(chat) == {}

    await chat.say("remind me every Monday at 9 to pay Ana")
    await chat.say("stop that reminder")
    assert await reminders(chat) == {}
    assert "I take back" in await chat.say("undo that")
    assert await reminders(chat) == {"Pay Ana": "0 9 * * 1"}


async def test_a_time_of_today_that_is_over_is_asked_about(chat):
    chat.house.hq.clock.advance(hours=11)

    told = await chat.say("remind me at 10 to eat")

    assert "is over" in told and "1. “remind me at 22:00 to eat”" in told, told
    await chat.say("1")
    assert "T22:00" in (await reminders(chat))["Eat"]
    assert later_times("10:30 pm", "eat") == ["remind me tomorrow at 10:30pm to eat"]
    assert later_times("2020-01-05", "eat") == []


async def test_what_was_decided_is_told_with_its_answer_and_searched_without_the_books_of_the_house(chat):
    hq = chat.house.hq
    await hq.do("decision.create", title="Which aircraft?", status="accepted", decision_md="The Cessna 172.")
    await hq.do("memory.add", content="Which aircraft? → The Cessna 172.", category="decision")
    await hq.do("mission.create", title="Expense tracker")

    for asked in ("what did we decide?", "what did we decide about the aircraft?"):
        told = await chat.say(asked)
        assert "Which aircraft? → The Cessna 172" in told, told

    assert "Not yet: “Expense tracker” is backlog" in await chat.say("is the expense tracker done?")
    await chat.say("remember that our flight school is AeroWest")
    await catch_up(hq)
    told = await chat.say("what is my flight school called?")
    assert "AeroWest" in told.splitlines()[0], told
    assert "script:" not in told and "**" not in told and "agent_session" not in told, told


async def test_how_things_stand_is_told_by_names_and_in_the_language_that_is_spoken(chat):
    hq = chat.house.hq
    await hq.do("mission.create", title="Expense tracker")
    await chat.say("stop everything")

    told = await chat.say("what is going on?")
    assert "“Stop everything?”: Stop everything, Go on as it is" in told and "freeze to" not in told, told

    told = await chat.say("como estão as coisas?")
    assert "por começar" in told and " of " not in told and "backlog" not in told and ": free" not in told, told

    assert "in the role of chief" in (told := await chat.say("who are you?")), told
    assert "Expense tracker" in await chat.say("what is stuck?")


async def test_what_has_no_script_says_what_can_be_done_instead(chat):
    assert "packing list and a budget" in await chat.say("prepare a menu and a guest list in parallel")
    assert "Nothing is deleted by a word" in await chat.say("delete everything")
    await chat.house.hq.do("agent.create", name="scout", role="Scout")
    assert "Scout" in await chat.say("fire scout")
    assert "Nobody here is called" in await chat.say("@nobody what are you working on?")

    await chat.say("add a task to buy fuel")
    assert "“Buy fuel” is cancelled" in await chat.say("cancel that")
    await chat.say("remember that AeroWest is our flight school")
    told = await chat.say("forget that about AeroWest")
    assert "Forgotten" in told, told
    assert "Nothing is stuck" in await chat.say("what is stuck?")


async def test_who_is_called_by_name_answers_alone(chat):
    await chat.house.hq.do("agent.create", name="scout", role="Scout")
    await chat.house.hq.do("chat.say", text="@scout what are you working on?", shown="nothing")
    for _ in range(4):
        await chat.house.settle()
        await worker(chat.house, shipped()).run_once()

    said = [line for line in (await chat.house.hq.do("chat.history"))["items"] if line["role"] == "assistant"]
    assert [line["sender"] for line in said if line["text"].strip()] == ["scout"], [
        (each["text"], each.get("model")) for each in said
    ]


async def test_the_page_shows_no_names_of_the_house_and_nothing_for_a_terminal(chat):
    for text in (
        "I need a web app that logs my hours",
        "I'd like a web app that logs my costs.",
        "stop everything",
        "hello there, who made you",
    ):
        await chat.say(text)

    for line in (await chat.house.hq.do("chat.history"))["items"]:
        if line["role"] == "assistant" and "card" not in line:
            page = drawn(line)
            assert "`hq" not in page and "<code>hq" not in page and "approve-agent-hire" not in page, page
    titles = [each["title"] for each in (await chat.house.hq.do("mission.list"))["items"]]
    assert sorted(titles) == ["Web app that logs my costs", "Web app that logs my hours"]


def test_a_wish_is_called_by_what_is_wished_for():
    assert wished_for("I'd like a web app that logs my hours.") == "Web app that logs my hours"
    assert wished_for("Preciso de uma aplicação") == "Aplicação"
    assert wished_for("Ship the tracker") == "Ship the tracker"


@pytest.mark.parametrize("words", ["Make it green", "Rename it: Logbook", "x" * 200])
def test_the_words_of_a_change_are_read_out_of_its_brief(words):
    title = f"Flight log: {words if len(words) <= 60 else words[:59] + '…'}"

    assert change_once(f"{title} {words}") == words


async def test_another_hour_of_what_comes_once_leaves_its_day_and_it_comes_once(chat):
    await chat.say("remind me on 3 December at 8 to renew the passport")
    before = (await reminders(chat))["Renew the passport"]

    told = await chat.say("make that 10 instead")

    assert "every day" not in told and "10:00" in told, told
    assert (await reminders(chat))["Renew the passport"] == before.replace("T08:00", "T10:00")


async def test_stop_that_ends_nothing_of_an_earlier_topic(chat):
    await chat.say("remind me tomorrow at 8 to renew the passport")
    await chat.say("add a task to buy fuel")
    await chat.say("what time is it?")
    await chat.say("what do you know about websites?")

    told = await chat.say("stop that")

    assert "What shall I call off?" in told and "Renew the passport" in await chat.say("what reminders do I have?"), (
        told
    )
    assert (await reminders(chat)).keys() == {"Renew the passport"}

    await chat.say("remind me tomorrow at 9 to swim")
    assert "“Swim” ends here" in await chat.say("stop that")
    assert (await reminders(chat)).keys() == {"Renew the passport"}


async def test_drop_it_declines_the_one_thing_that_waits(chat):
    await chat.say("hire a designer")
    [asked] = (await chat.house.hq.do("approval.list", status="pending"))["items"]
    told = await chat.say("no, drop it")

    assert (await chat.house.hq.do("approval.show", ref=asked["slug"]))["props"]["status"] == "rejected", told


async def test_what_was_remembered_answers_who_somebody_is_and_is_forgotten_by_the_same_words(chat):
    await chat.say("remember that my accountant is Rita")
    await catch_up(chat.house.hq)
    assert "Rita" in await chat.say("who is my accountant?")

    assert "Forgotten" in await chat.say("forget that my accountant is Rita")

    await catch_up(chat.house.hq)
    assert "I know nothing about my accountant" in await chat.say("who is my accountant?")


async def test_the_summary_of_a_long_conversation_is_nothing_that_was_said(chat, monkeypatch):
    monkeypatch.setattr(context_window, "EXCHANGES", 3)
    for number in range(9):
        told = await chat.say(f"add a task to buy {number} apples")
        assert "PREVIOUS" not in told and "no model" not in told, told

    steps = (await chat.house.hq.do("task.list", limit=50))["items"]
    assert len(steps) == 9
