"""X10, M5: what a provider keeps of a call is the same whatever woke the agent; how things stand is told as it is then."""

from __future__ import annotations

from itertools import takewhile
from typing import Any

import pytest

from tests.stories.wire import sent
from tests.support.play import Told, house  # noqa: F401
from tests.support.story_worker import worker

DONE = 'Done. <task-complete reason="done" memory_entry_count="0"/>'


async def staffed(house) -> None:  # noqa: F811
    await house.hq.do("org.create", template="software-team")
    await house.hq.do(
        "agent.hire", name="Forge", title="Builder", role="developer", org="Development", about="Builds web apps."
    )


async def woken(house, agent: str) -> list:  # noqa: F811
    """What its mind is asked first, however it is woken."""
    hq, mind = house.hq, Told(lambda ask: DONE)
    await hq.do("chat.say", agent=agent, text="Hello.")
    await worker(house, mind).run_once()
    await hq.do("agent.send", agent=agent, text="Look at it.")
    await worker(house, mind).run_once()
    token = await hq.agent("operator" if agent != "operator" else "chief", scopes=["read", "write"])
    await hq.call("agent.ask", agent=agent, text="Which one?", _token=token)
    await worker(house, mind).run_once()
    made = await hq.do("mission.create", title=f"Something for {agent}", deliverables=["file:index.html"])
    await hq.do("mission.assign", ref=made["slug"], to=agent)
    await worker(house, mind).run_once()
    return mind.asked


@pytest.mark.parametrize("wire", ["anthropic", "openai-chat"])
@pytest.mark.parametrize("agent", ["chief", "operator", "forge"])
async def test_x10_the_prefix_is_the_same_whatever_woke_the_agent(house, agent, wire):  # noqa: F811
    await staffed(house)

    asked = await woken(house, agent)

    assert len(asked) >= 4
    bodies = await sent(asked, house.hq.clock, wire)
    first, *others = [unmarked([body["tools"], body.get("system") or body["messages"][0]]) for body in bodies]
    for other in others:
        assert other == first


def unmarked(body: Any) -> Any:
    """Without how long it is to be kept: a conversation's longer than a run's, and each reads what the other left."""
    if isinstance(body, dict):
        return {key: unmarked(value) for key, value in body.items() if key != "ttl"}
    return [unmarked(each) for each in body] if isinstance(body, list) else body


async def test_x10_a_hire_does_not_change_what_the_ceo_s_calls_begin_with(house):  # noqa: F811
    mind = Told(lambda ask: DONE)
    await house.hq.do("chat.say", agent="chief", text="Hello.")
    await worker(house, mind).run_once()
    await staffed(house)
    await house.hq.do("chat.say", agent="chief", text="And now?")
    await worker(house, mind).run_once()

    before, after = mind.asked
    assert before.instructions == after.instructions
    assert "forge" not in before.now and "forge" in after.now


@pytest.mark.parametrize("wire", ["anthropic", "openai-chat"])
async def test_x10_the_first_hire_and_a_lesson_leave_the_prefix_as_it_was(house, wire):  # noqa: F811
    hq, mind = house.hq, Told(lambda ask: DONE)
    await hq.do("chat.say", agent="chief", text="Hello.")
    await worker(house, mind).run_once()
    hired = await hq.do("agent.hire", name="Paula", role="copywriter", title="Writer")
    await hq.do("chat.say", agent="chief", text="And now?")
    await worker(house, mind).run_once()
    for lesson in ("Ask early.", "Write less."):
        await hq.do("agent.send", agent="paula", text="Look at it.")
        await worker(house, mind).run_once()
        await hq.do("persona.append_experience", slug=hired["persona_slug"], body=lesson)
    chief, paula = (
        [ask for ask in mind.asked if f"You are **{who}**" in ask.instructions] for who in ("chief", "paula")
    )

    for first, then in [await sent(asked, hq.clock, wire) for asked in (chief, paula)]:
        assert first["tools"] == then["tools"]
        assert (first.get("system") or first["messages"][0]) == (then.get("system") or then["messages"][0])
    assert "holds to" in chief[-1].now and "Ask early." in str(paula[-1].messages)


async def test_x10_company_now_is_what_is_so_at_each_call_of_a_run(house):  # noqa: F811
    mind = Told([("mission_create", {"title": "Flight tracker"}), "It is there."])
    await house.hq.do("chat.say", agent="chief", text="Build me a flight tracker.")
    await worker(house, mind).run_once()

    first, then = mind.asked
    assert "flight-tracker" not in first.now
    assert "flight-tracker" in then.now, "what was just made is told"


async def test_x10_agents_of_one_kind_begin_with_the_same_rules(house):  # noqa: F811
    await staffed(house)
    await house.hq.do("agent.hire", name="Paula", title="Tester", role="tester", org="Development")
    mind = Told(lambda ask: DONE)
    for agent in ("forge", "paula"):
        await house.hq.do("agent.send", agent=agent, text="Look at it.")
        await worker(house, mind).run_once()

    forge, paula = (ask.instructions for ask in mind.asked)
    same = len([*takewhile(lambda pair: pair[0] == pair[1], zip(forge, paula, strict=False))])
    assert same > 0.75 * len(forge), "who it is stands behind what holds for all"
