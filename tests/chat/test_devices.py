"""Whom the founder calls in, and how far each of the founder's devices has read."""

from __future__ import annotations

import pytest

from tests.support.play import Told


@pytest.fixture
async def team(play):
    await play.agent("forge")
    return play


async def lines(play) -> list[tuple[str, str]]:
    found = await play.hq.do("chat.history", agent="scout")
    return [(item["sender"], item["text"]) for item in found["items"]]


async def test_whoever_is_mentioned_answers_in_the_conversation(team):
    said = await team.hq.do("chat.say", agent="scout", text="How long will it take, @forge?")
    assert said["called"] == ["forge"]
    mind = Told(lambda ask: "Two days, I say." if "mentions you" in str(ask.messages[-1]) else "Let us hear forge.")
    for _ in range(3):
        await team.runner(mind).run_once()

    told = await lines(team)
    assert ("forge", "Two days, I say.") in told
    assert told[-1] == ("scout", "Let us hear forge.")  # it read what was said, and answers
    assert ("user", "How long will it take, @forge?") in [(role.partition(":")[0], text) for role, text in told]


@pytest.mark.parametrize("text", ["mail me at ana@forge.example", "@nobody", "@scout hi", "@@forge", "see x/@forge"])
async def test_only_agents_are_called_in(team, text):
    assert (await team.hq.do("chat.say", agent="scout", text=text))["called"] == []


async def test_nobody_joins_who_was_not_called(team):
    await team.hq.do("chat.say", agent="scout", text="hi")
    outcome = await team.hq.call("chat.join", into="scout", text="me too", _token=await team.hq.agent("forge"))

    assert outcome.error["code"] == "forbidden"


async def test_each_device_has_its_own_place(play):
    phone = (await play.hq.do("auth.token", device="phone"))["token"]

    async def unread(token: str | None = None) -> int:
        return (await play.hq.do("chat.status", agent="scout", **({"_token": token} if token else {})))["unread"]

    for text in ("One", "Two"):
        await play.hq.do("chat.say", agent="scout", text=text)
        await play.runner(["Yes."]).run_once()
    assert (await unread(), await unread(phone)) == (2, 2)

    assert (await play.hq.do("chat.read", agent="scout", _token=phone))["unread"] == 0

    assert (await unread(), await unread(phone)) == (2, 0)
    await play.hq.do("chat.say", agent="scout", text="Three")
    await play.runner(["Yes."]).run_once()
    assert (await unread(), await unread(phone)) == (3, 1)


async def test_reading_up_to_a_message_leaves_the_rest_and_never_goes_back(play):
    await play.hq.do("chat.say", agent="scout", text="One")
    await play.runner(["First."]).run_once()
    place = (await play.hq.do("chat.say", agent="scout", text="Two"))["after"]
    await play.runner(["Second."]).run_once()

    assert (await play.hq.do("chat.read", agent="scout", upto=place))["unread"] == 1
    await play.hq.do("chat.read", agent="scout")
    assert (await play.hq.do("chat.read", agent="scout", upto=place))["unread"] == 0
    bad = await play.hq.call("chat.read", agent="scout", upto="nowhere")
    assert bad.error["code"] == "invalid"
