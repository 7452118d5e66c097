"""J4, J-9: who is chosen for a mission is chosen by what its model can do, too; and an agent's own model answers for it."""

from __future__ import annotations

import pytest

from hq.minds.capability import capability
from hq.minds.config import MindConfig
from tests.support.play import house  # noqa: F401
from tests.support.provider_by_hand import Line, answered_by_hand

DONE = Line('Done. <task-complete reason="done" memory_entry_count="0"/>')


@pytest.fixture
async def firm(house):  # noqa: F811
    """Two researchers: one on the company's model, the other on a small one of its own."""
    made = await answered_by_hand(house, [DONE])
    await made.hq.do(
        "mind.set", name="own", provider="compatible", model="llava-7b", base_url="http://models.example/v1"
    )
    await made.hq.do("agent.hire", name="Atlas", role="Researcher", about="Researches markets.")
    await made.hq.do("agent.hire", name="Blind", role="Researcher", about="Researches markets.", model="own")
    return made


async def considered(firm, **mission) -> dict[str, dict]:
    made = await firm.hq.do("mission.create", title="Research the market", **mission)
    steps = (await firm.hq.do("mission.brief", ref=made["slug"], explain=True))["steps"]
    return {each["agent"]: each for each in steps[1]["found"]["considered"]}


async def test_j9_who_has_a_model_that_cannot_is_left_out_with_the_reason(firm):
    found = await considered(firm)

    assert found["blind"]["score"] == 0 and "llava-7b calls no tools" in found["blind"]["why"]
    assert found["atlas"]["score"] > 0


async def test_j9_what_has_to_be_looked_at_needs_a_model_that_sees(firm):
    await firm.hq.do("mind.set", name="own", provider="compatible", model="own-7b", base_url="http://models.example/v1")

    plain, seen = await considered(firm), await considered(firm, description="Compare the screenshots of the shops.")

    assert plain["blind"]["score"] > 0
    assert "own-7b is not known to see pictures" in seen["blind"]["why"] and seen["atlas"]["score"] > 0


async def test_j9_an_agents_own_model_answers_for_it_and_is_told_among_its_rights(firm):
    await firm.hq.do("agent.send", agent="blind", text="Hello.")
    await firm.hq.do("agent.send", agent="atlas", text="Hello.")
    await firm.work()

    assert {call["agent"]: call["model"] for call in await firm.calls()} == {
        "blind": "compatible:llava-7b", "atlas": "anthropic:claude-sonnet-5-5",
    }  # fmt: skip
    [right] = [each for each in (await firm.hq.do("agent.can", agent="blind"))["rights"] if each["sort"] == "model"]
    assert (right["what"], right["from"]) == ("compatible:llava-7b", "its record: model")


def test_j9_windows_and_prices_are_those_of_the_list():
    sonnet = capability(MindConfig("a", "anthropic"))
    mine = capability(MindConfig("b", "compatible", model="own-7b"))

    assert sonnet and sonnet.context_window and sonnet.sees and sonnet.cost_tier == "medium"
    assert mine and mine.context_window is None and mine.cost_tier is None
    assert sonnet.lacks(reads=10**7) and not sonnet.lacks(sees=True, reads=50_000)
