"""How the agents are, and why: by their own work before all, or else as they are in the conversation."""

from __future__ import annotations


async def stands(hq, agent="scout") -> tuple[str, str]:
    (item,) = (await hq.do("agent.status", agent=agent))["items"]
    return item["state"], item["why"]


async def test_an_agent_that_does_nothing_is_asleep_until_it_is_sent_something(hq):
    await hq.do("agent.create", name="scout", role="Scout")
    assert await stands(hq) == ("asleep", "asleep until something wakes it")

    await hq.do("agent.send", agent="scout", text="Look")

    assert await stands(hq) == ("working", "about to begin")


async def test_where_its_own_work_rests_it_is_as_in_the_conversation(hq):
    await hq.do("agent.create", name="scout", role="Scout")
    await hq.do("chat.say", agent="scout", text="Hello")
    assert await stands(hq) == ("working", "in a conversation")

    await hq.do("agent.pause", agent="scout")

    assert await stands(hq) == ("stopped", "is paused")


async def test_while_everything_is_stopped_nobody_only_sleeps(hq):
    await hq.do("agent.create", name="scout", role="Scout")

    await hq.do("freeze.set", scope="all", _reason="the week is over")

    assert await stands(hq) == ("stopped", "everything is stopped: the week is over")


async def test_who_left_stands_nowhere(hq):
    await hq.do("agent.create", name="scout", role="Scout")
    await hq.do("agent.update", ref="scout", status="retired")

    assert "scout" not in {each["agent"] for each in (await hq.do("agent.status"))["items"]}
