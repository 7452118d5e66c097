"""Names of principals: one way to say them, and nobody made under a name that was not said."""

from __future__ import annotations

import pytest


@pytest.fixture
async def house(hq):
    await hq.do("agent.load")
    return hq


@pytest.mark.parametrize("said", ["chief", "agent:chief", "AGENT:chief", "agent:Chief", " chief "])
async def test_an_agent_is_named_with_and_without_its_kind(house, said):
    assert (await house.do("auth.token", agent=said))["actor"] == "agent:chief"
    if said == said.strip():
        assert (await house.do("agent.check", agent=said))["agents"]


@pytest.mark.parametrize("said", ["agent:", "device:laptop", "worker:chief", "../x", "a/b"])
async def test_what_is_no_agents_name_makes_nobody(house, said):
    before = len((await house.do("auth.list"))["items"])

    refused = await house.call("auth.token", agent=said)

    assert refused.error["code"] == "invalid" and "agent:" in refused.error["message"]
    assert len((await house.do("auth.list"))["items"]) == before


@pytest.mark.parametrize(("said", "meant"), [("ceo", "chief"), ("cheif", "chief"), ("agent:operater", "operator")])
async def test_a_name_like_somebodys_is_refused_with_theirs(house, said, meant):
    refused = await house.call("auth.token", agent=said)

    assert refused.error["code"] == "not_found" and f"did you mean agent:{meant}?" in refused.error["message"]


async def test_a_program_outside_has_a_name_of_its_own(house):
    assert (await house.do("auth.token", agent="desk"))["actor"] == "agent:desk"
    assert (await house.do("auth.token", agent="agent:desk"))["actor"] == "agent:desk"
    assert (await house.do("auth.token", device="My phone"))["actor"] == "device:my-phone"


async def test_a_refusal_has_its_article(house):
    refused = await house.call("agent.show", ref="task:chief")

    assert "an agent is wanted here" in refused.error["message"]
