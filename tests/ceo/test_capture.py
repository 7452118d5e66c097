"""What the founder settles by doing it, the CEO remembers: settings, skills, hires."""

from __future__ import annotations

import pytest

from tests.support.days import Days
from tests.support.jobs import JobHand
from tests.support.supervised import announced


async def captured(hq) -> int:
    """One look of the house, behind the announcer. How much of it was news."""
    await announced(hq)
    return await JobHand(hq, "capture").run_once()


async def memories(hq, status: str = "active") -> list[str]:
    """Oldest first."""
    return [item["content"] for item in (await hq.do("memory.list", status=status))["items"]][::-1]


async def last(hq, verb: str) -> str:
    return (await hq.do("action.list", verb=verb))["items"][0]["action"]


async def set_budget(hq, usd: float) -> None:
    await hq.do("budget.set", on="company", period="month", usd_hard=usd)


async def test_a_setting_is_remembered_with_the_call_it_comes_from_and_does_not_fade(own_hq):
    await set_budget(own_hq, 50)

    assert await captured(own_hq) == 1

    [found] = (await own_hq.do("memory.list"))["items"]
    assert found["content"] == "The budget of the company is at most $50.00 a month."
    assert (found["source"], found["category"], found["tags"]) == ("system", "fact", ["budget", "setting"])
    assert (await own_hq.do("memory.show", ref=found["slug"]))["action_id"] == await last(own_hq, "budget.set")
    own_hq.clock.advance(days=400)
    assert (await own_hq.do("memory.show", ref=found["slug"]))["confidence"] == 1


async def test_a_newer_value_takes_the_place_of_the_older_one_and_nobody_is_asked(own_hq):
    for usd in (50, 80):
        await set_budget(own_hq, usd)
        await captured(own_hq)

    assert await memories(own_hq) == ["The budget of the company is at most $80.00 a month."]
    assert await memories(own_hq, "superseded") == ["The budget of the company is at most $50.00 a month."]
    assert (await own_hq.do("proposal.list"))["items"] == []


async def test_each_call_counts_once_and_the_same_value_again_is_no_news(own_hq):
    await set_budget(own_hq, 50)

    assert [await captured(own_hq), await captured(own_hq)] == [1, 0]
    await set_budget(own_hq, 50)
    assert await captured(own_hq) == 0 and len(await memories(own_hq)) == 1


async def test_what_is_taken_back_is_followed_too(own_hq):
    await set_budget(own_hq, 50)
    await captured(own_hq)
    await set_budget(own_hq, 80)
    await captured(own_hq)

    await own_hq.do("action.undo", id=await last(own_hq, "budget.set"))
    await captured(own_hq)
    assert await memories(own_hq) == ["The budget of the company is at most $50.00 a month."]
    await own_hq.do("action.undo", id=await last(own_hq, "action.undo"))
    await captured(own_hq)
    assert await memories(own_hq) == ["The budget of the company is at most $80.00 a month."]


async def test_what_happened_while_nobody_looked_is_caught_up_with(own_hq):
    await own_hq.do("tenant.set", risk_tolerance="cautious")
    await own_hq.do("ceo.quiet", hours="22:00-07:00")
    await own_hq.do("mind.set", name="anthropic")
    own_hq.clock.advance(days=9)

    assert await captured(own_hq) == 3
    assert await memories(own_hq) == [
        "The company's risk tolerance is cautious.",
        "The quiet hours are 22:00-07:00.",
        "The model that answers is anthropic.",
    ]


async def test_hires_and_dismissals_and_the_hire_can_still_be_taken_back(own_hq):
    await own_hq.do("agent.hire", name="Forge", title="Developer", role="Engineer")
    await captured(own_hq)
    assert await memories(own_hq) == ["Forge was hired as Engineer."]

    await own_hq.do("action.undo", id=await last(own_hq, "agent.hire"))
    await captured(own_hq)

    assert await memories(own_hq) == ["Forge no longer works here."]
    await own_hq.do("agent.create", name="Quill", role="Writer")
    await captured(own_hq)
    await own_hq.do("agent.archive", ref="quill")
    await captured(own_hq)
    assert (await memories(own_hq))[-1] == "Quill no longer works here."


async def test_two_hires_of_one_sort_are_two_memories(own_hq):
    for name in ("Forge", "Anvil"):
        await own_hq.do("agent.create", name=name, role="Engineer")
    await captured(own_hq)

    assert await memories(own_hq) == ["Forge was hired as Engineer.", "Anvil was hired as Engineer."]


async def test_skills_enabled_granted_and_disabled(own_hq):
    await own_hq.do("agent.create", name="scout", role="Scout")
    await own_hq.do("skill.disable", skill="disk-health")
    await own_hq.do("skill.enable", skill="disk-health")
    await captured(own_hq)
    assert (await memories(own_hq))[-1] == "The skill disk-health is enabled."

    await own_hq.do("skill.grant", skill="disk-health", agent="scout")
    await captured(own_hq)
    assert (await memories(own_hq))[-1] == "The skill disk-health is enabled; scout can use it."
    await own_hq.do("skill.disable", skill="disk-health")
    await captured(own_hq)
    assert (await memories(own_hq))[-1] == "The skill disk-health is disabled."


async def test_what_the_founder_said_is_not_overwritten_but_asked_about(own_hq):
    await own_hq.do("memory.add", content="The quiet hours are 23:00-06:00.")
    await own_hq.do("ceo.quiet", hours="22:00-07:00")
    await captured(own_hq)

    assert len(await memories(own_hq)) == 2
    [asked] = (await own_hq.do("proposal.list"))["items"]
    assert "memory" in str(asked)


async def test_what_the_founder_said_in_the_same_words_is_kept_once(own_hq):
    await own_hq.do("memory.add", content="The quiet hours are 22:00-07:00.")
    await own_hq.do("ceo.quiet", hours="22:00-07:00")
    await captured(own_hq)

    assert await memories(own_hq) == ["The quiet hours are 22:00-07:00."]


async def test_the_answers_of_the_onboarding_are_remembered(own_hq):
    await own_hq.do("onboard.answer", company="Lumen", budget=25, skip=["risk"])
    await captured(own_hq)

    assert await memories(own_hq) == [
        "The company is called Lumen.",
        "The budget of the company is at most $25.00 a month.",
    ]


async def test_no_agent_does_it_for_the_house(own_hq):
    outcome = await own_hq.call("memory.capture", _token=await own_hq.agent("chief"))

    assert outcome.error["code"] == "forbidden"


@pytest.mark.parametrize(
    ("question", "answer"),
    [("what is our budget?", "$50.00 a month"), ("who did we hire?", "Forge was hired as Engineer")],
)
async def test_asked_without_a_key_the_ceo_finds_it(own_hq, question, answer):
    await own_hq.do("agent.load")
    await set_budget(own_hq, 50)
    await own_hq.do("agent.hire", name="Forge", title="Developer", role="Engineer")
    assert await captured(own_hq) == 2

    assert answer in await Days(own_hq).say(question)
