"""X10, M5: what a provider keeps of a call is the same whatever woke the agent; how things stand is told as it is then."""

from __future__ import annotations

import pytest

from tests.stories.talk import worker
from tests.stories.wire import sent
from tests.support.play import Told, house  # noqa: F401

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
    first, *others = [(body["tools"], body.get("system") or body["messages"][0]) for body in bodies]
    for other in others:
        assert other == first


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


async def test_x10_company_now_is_what_is_so_at_each_call_of_a_run(house):  # noqa: F811
    mind = Told([("mission_create", {"title": "Flight tracker"}), "It is there."])
    await house.hq.do("chat.say", agent="chief", text="Build me a flight tracker.")
    await worker(house, mind).run_once()

    first, then = mind.asked
    assert "flight-tracker" not in first.now
    assert "flight-tracker" in then.now, "what was just made is told"
