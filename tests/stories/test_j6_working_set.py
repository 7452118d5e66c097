"""J-6, M2: whoever is hired has a small working set that fits its job, and what it is given by name adds to that."""

from __future__ import annotations

import pytest

from hq.channels.web.providers import SearchSetting
from hq.sessions.tool_offer import BRIEFED
from tests.support.play import house  # noqa: F401


async def reached(hq, agent: str) -> set[str]:
    return set((await hq.do("context.show", agent=agent))["reaches"])


async def test_j6_who_is_hired_by_the_card_sits_somewhere_and_has_no_more_than_its_job_needs(house):  # noqa: F811
    from tests.support.heart import Heart

    heart = Heart(house.hq)
    await house.hq.do("mission.create", title="Count the birds")
    await heart.beat(minutes=11)
    [card] = [each for each in await heart.cards() if each["kind"] == "hire"]

    await house.hq.do("card.press", card=card["id"], button="approve")

    tools = await reached(house.hq, "scout")
    assert {*BRIEFED, "write_file", "skill_run"} <= tools and len(tools) < 130
    assert not {"ssh_exec", "http_request", "agent_hire", "agent_pause", "budget_set"} & tools
    assert [seat["agent"] for seat in (await house.hq.do("agent.roster"))["items"] if seat["agent"] == "scout"]


@pytest.mark.parametrize("verb", ["agent.hire", "agent.create"])
async def test_j6_a_researcher_writes_no_programs_and_a_developer_does(house, verb):  # noqa: F811
    for name, role in (("Scout", "Research Analyst"), ("Forge", "Developer")):
        await house.hq.do(verb, name=name, role=role)

    scout, forge = [await reached(house.hq, name) for name in ("scout", "forge")]

    assert forge - scout >= {"code_execute", "container_exec"} and not scout - forge
    assert "web_search" in scout and "ssh_exec" not in scout | forge


@pytest.mark.parametrize("verb", ["agent.hire", "agent.create"])
async def test_m2_tools_by_name_add_to_what_a_brief_needs(house, verb):  # noqa: F811
    await house.hq.do(verb, name="Scout", role="Research Analyst", tools=["ssh_exec", "cost"])

    tools = await reached(house.hq, "scout")

    assert {*BRIEFED, "ssh_exec", "cost_show", "web_search"} <= tools


@pytest.mark.parametrize("set_", ["", "searxng:http://search.example"])
async def test_j6_the_web_is_searched_by_a_tool_only_where_somebody_would_be_asked(house, set_):  # noqa: F811
    house.hq.door.services[SearchSetting] = SearchSetting(set_)
    await house.hq.do("agent.hire", name="Scout", role="Research Analyst")

    told = await house.hq.do("context.show", agent="scout")

    shown = {each["name"]: each["text"] for each in told["sections"] if each["part"] == "tools"}
    assert ("web_search" in shown) == bool(set_) and "web_fetch" in shown
    assert "web (search" not in shown["hq"]
    refused = await house.hq.call("web.search", query="bakeries", _token=await house.hq.agent("scout"))
    assert set_ or "no search provider is set" in refused.error["message"]
    assert set_ or refused.error["hint"].startswith("`hq web fetch` reads a page whose address is known")
