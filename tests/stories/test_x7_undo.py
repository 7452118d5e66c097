"""X7: `undo that`, typed in the chat without a model, takes back what the founder's own word did last, read by the house."""

from __future__ import annotations

import psycopg
import pytest

from hq.sessions.undo_word import asks_for_undo
from tests.stories.test_without_a_model import Conversation
from tests.support.play import house  # noqa: F401


@pytest.fixture
def chat(house) -> Conversation:  # noqa: F811
    return Conversation(house)


async def said(chat: Conversation, text: str) -> str:
    """What the house says to it."""
    lines = [line for line in (await chat.house.hq.do("chat.history"))["items"] if line["role"] != "user"]
    told = await chat.house.hq.do("chat.say", text=text, shown=lines[-1]["id"] if lines else "nothing")
    return told.get("house") or ""


async def tasks(chat: Conversation) -> set[str]:
    return {each["title"] for each in (await chat.house.hq.do("task.list"))["items"]}


@pytest.mark.parametrize("word", ["undo that", "Undo it.", "desfaz isso", "please undo"])
async def test_x7_what_the_founders_word_did_last_is_taken_back_by_a_word(chat, word):
    await chat.say("add a task to pay the rent")
    await chat.say("add a task to call Ana tomorrow")

    told = await said(chat, word)

    assert "I take back task create" in told and "Call Ana" in told, told
    assert await tasks(chat) == {"Pay the rent"}
    (undone,) = (await chat.house.hq.do("action.list", verb="action.undo"))["items"]
    assert undone["actor"] == "user:founder" and undone["undoes"]

    assert "Pay the rent" in await said(chat, word), "the next word is for what was done before it"
    assert await tasks(chat) == set()
    assert "agent.load has no way back" in await said(chat, word)


async def test_x7_what_others_stand_on_is_not_taken_back_and_the_house_says_what_stands_in_the_way(chat):
    hq = chat.house.hq
    await chat.say("add a task to call Ana tomorrow")
    chief = await hq.agent("chief")
    await hq.do("task.update", ref="call-ana", priority="focus", _token=chief)
    await hq.do("task.update", ref="call-ana", status="in_progress", _token=chief)

    told = await said(chat, "undo that")

    assert "I did not take back task create" in told and "task.update by agent:chief" in told, told
    assert await tasks(chat) == {"Call Ana"}


async def test_x7_what_was_done_long_ago_is_told_and_not_taken_back(chat):
    await chat.say("add a task to call Ana tomorrow")
    chat.house.hq.clock.advance(days=1)

    told = await said(chat, "undo that")

    assert "look first" in told and "`hq undo evt_" in told, told
    assert await tasks(chat) == {"Call Ana"}


async def test_x7_what_an_agent_did_by_itself_is_no_ones_word_to_undo(chat):
    hq = chat.house.hq
    await chat.say("hello")
    await hq.do("task.create", title="Its own", _token=await hq.agent("chief"))

    assert "agent.load has no way back" in await said(chat, "undo that")
    assert await tasks(chat) == {"Its own"}


@pytest.mark.parametrize(
    "text", ["undo the booking of Ana", "should I undo that?", "he said undo that", "undo everything"]
)
def test_anything_more_than_that_is_for_whom_one_talks_with(text):
    assert not asks_for_undo(text)


async def test_x7_files_laid_out_to_be_looked_at_are_no_last_deed(chat):
    hq = chat.house.hq
    await chat.say("add a task to call Ana tomorrow")
    async with await psycopg.AsyncConnection.connect(hq.address.url, autocommit=True) as conn:
        await conn.execute(
            "insert into ops.agent_actions select (jsonb_populate_record(a, jsonb_build_object('id', gen_random_uuid(), 'seq', a.seq + 1000,"
            " 'action_type', 'workspace.open', 'kind', 'effect', 'actor', 'user:founder', 'idempotency_key', null))).*"
            " from ops.agent_actions a where a.action_type = 'task.create'"
        )

    assert "I take back task create" in await said(chat, "undo that")
