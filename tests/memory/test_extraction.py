"""After a conversation: what was said that matters is remembered, once, by whoever may."""

from __future__ import annotations

import json

import pytest

from hq.memory.extraction import by_rules, read
from tests.support.play import Told, route

FOUND = json.dumps({"memories": [{"content": "The launch is in May.", "category": "decision", "confidence": 0.9}]})


def mind(*found: str) -> Told:
    left = list(found)
    return Told(lambda ask: left.pop(0) if ask.purpose == "remember" else "Noted.")


async def talk(play, told: Told, text: str, agent: str = "scout") -> None:
    await play.hq.do("chat.say", agent=agent, text=text)
    await play.runner(told).run_once()


async def go_quiet(play, told: Told) -> int:
    play.hq.clock.advance(minutes=11)
    await route(play.hq)
    return await play.runner(told).run_once()


async def memories(play, **only) -> list[tuple[str, str]]:
    found = await play.hq.do("memory.list", **only)
    return [(item["content"], item["status"]) for item in found["items"]]


async def test_what_the_ceo_heard_is_remembered_once_the_conversation_is_quiet(own_hq, play):
    await own_hq.do("agent.create", name="chief", role="CEO", kind="ceo")
    told = mind(FOUND)
    await talk(play, told, "We settled it: the launch is in May.", "chief")
    assert await memories(play) == []

    assert await go_quiet(play, told) == 1

    assert await memories(play) == [("The launch is in May.", "active")]
    assert await go_quiet(play, told) == 0  # and it sleeps
    asked = [ask for ask in told.asked if ask.purpose == "remember"]
    assert len(asked) == 1 and "the launch is in May" in str(asked[0].messages) and not asked[0].tools


async def test_what_another_agent_heard_waits_for_the_ceo(play):
    told = mind(FOUND)
    await talk(play, told, "We settled it: the launch is in May.")
    await go_quiet(play, told)

    assert await memories(play) == [("The launch is in May.", "pending")]


async def test_the_next_conversation_is_looked_at_from_where_the_last_one_ended(play):
    told = mind(FOUND, '{"memories": []}')
    await talk(play, told, "We settled it: the launch is in May.")
    await go_quiet(play, told)
    await talk(play, told, "And now something completely different.")
    await go_quiet(play, told)

    last = str([ask for ask in told.asked if ask.purpose == "remember"][-1].messages)
    assert "completely different" in last and "settled" not in last


async def test_small_talk_asks_nobody(play):
    told = mind()
    await talk(play, told, "thanks a lot")
    await go_quiet(play, told)

    assert not [ask for ask in told.asked if ask.purpose == "remember"]


async def test_what_contradicts_becomes_a_question(own_hq, play):
    await own_hq.do("memory.add", content="The launch is in June.", category="decision")
    await own_hq.do("agent.create", name="chief", role="CEO", kind="ceo")
    told = mind(FOUND)
    await talk(play, told, "We settled it: the launch is in May.", "chief")
    await go_quiet(play, told)

    assert sorted(await memories(play)) == [("The launch is in June.", "active"), ("The launch is in May.", "pending")]
    (question,) = (await own_hq.do("proposal.list"))["items"]
    asked = (await own_hq.do("proposal.show", ref=question["slug"]))["props"]
    assert asked["kind"] == "memory_conflict"
    assert asked["body"].splitlines()[:2] == ["So far: The launch is in June.", "Now heard: The launch is in May."]
    assert asked["change"] == {
        "verb": "memory.replace",
        "args": {"old": "the-launch-is-in-june", "new": "the-launch-is-in-may"},
    }


async def test_what_is_known_already_merges_and_is_surer(own_hq, play):
    known = await own_hq.do("memory.add", content="The launch is in May.", category="decision", confidence=0.5)
    await own_hq.do("agent.create", name="chief", role="CEO", kind="ceo")
    told = mind(FOUND)
    await talk(play, told, "We settled it: the launch is in May.", "chief")
    await go_quiet(play, told)

    (kept,) = (await own_hq.do("memory.list"))["items"]
    assert (kept["slug"], kept["status"]) == (known["slug"], "active") and kept["confidence"] > 0.5
    assert (await own_hq.do("proposal.list"))["items"] == []


async def test_without_a_model_plain_statements_are_found_all_the_same(play):
    told = mind("I have no model and no script for that.")
    await talk(play, told, "I prefer short reports. Can you check the disk? We decided to drop the free plan.")
    await go_quiet(play, told)

    assert {title for title, _ in await memories(play)} == {
        "I prefer short reports.",
        "We decided to drop the free plan.",
    }


@pytest.mark.parametrize("text", ["", "no", "{", '{"memories": 5}', '["x"]', '{"memories"'])
def test_an_answer_in_no_form_is_none(text):
    assert read(text) is None


def test_odd_memories_are_left_out():
    given = {"memories": [5, {"content": ""}, {"content": "x", "category": "?", "confidence": 9}]}

    (found,) = read(json.dumps(given)) or [None]
    assert found
    assert (found.content, found.category, found.confidence) == ("x", "context", 1.0)
    assert by_rules(["Do I prefer tea?", "ok"]) == []
