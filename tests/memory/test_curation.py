"""Curation: of what the company knows an agent sees what it found, and what was chosen for it; by every way of looking."""

from __future__ import annotations

import pytest

from tests.support.searching import catch_up

SECRET, SHARED = "The budget for the acquisition is 40000 euros.", "Invoices go out on the first of the month."


@pytest.fixture
async def known(hq) -> str:
    """Two things the company knows, of which one was chosen for forge."""
    await hq.do("agent.create", name="forge", role="Developer")
    await hq.do("memory.add", content=SECRET)
    shared = (await hq.do("memory.add", content=SHARED))["slug"]
    await hq.do("memory.curate", ref=shared, for_=["forge"])
    await catch_up(hq)
    return await hq.agent("forge", scopes=["read", "write", "sql"])


LOOKS = {
    "memory.search": {"query": "budget acquisition invoices month"},
    "memory.list": {},
    "graph.search": {"query": "budget acquisition invoices month"},
    "sql.query": {"query": "select content from org_memory"},
}


@pytest.mark.parametrize("verb", LOOKS)
async def test_an_agent_finds_what_was_chosen_for_it_and_nothing_else(hq, known, verb):
    found = await hq.call(verb, _token=known, **LOOKS[verb])
    everything = await hq.call(verb, **LOOKS[verb])

    assert found.ok and "first of the month" in str(found.data) and "40000" not in str(found.data)
    assert "40000" in str(everything.data)


async def test_by_name_it_is_not_there(hq, known):
    slug = next(each["slug"] for each in (await hq.do("memory.list"))["items"] if each["content"] == SECRET)

    tried = [await hq.call(verb, ref=slug, _token=known) for verb in ("memory.show", "memory.why", "graph.describe")]

    assert [each.error["code"] for each in tried] == ["not_found"] * 3


async def test_the_ceo_and_people_see_all_of_it(hq, known):
    chief = await hq.do("memory.list", _token=await hq.agent("chief"))

    assert len(chief["items"]) == len((await hq.do("memory.list"))["items"]) == 2


async def test_its_own_finding_an_agent_sees_and_a_contradiction_tells_it_nothing(hq, known):
    found = await hq.do("memory.add", content="The budget for the acquisition is 50000 euros.", _token=known)

    assert found["status"] == "pending" and "40000" not in str(found) and "question" not in found
    assert found["slug"] in [each["slug"] for each in (await hq.do("memory.list", _token=known))["items"]]


async def test_what_was_chosen_for_an_organisation_all_who_sit_there_see(hq, known):
    org = (await hq.do("org.create", name="Sales", purpose="Sells."))["slug"]
    await hq.do("role.create", name="seller")
    await hq.do("agent.hire", name="Ada", role="seller", title="Seller")
    slug = (await hq.do("memory.list"))["items"][-1]["slug"]
    ada = await hq.agent("ada")
    assert (await hq.do("memory.list", _token=ada))["items"] == []

    await hq.do("memory.curate", ref=slug, for_=[org])

    assert [each["slug"] for each in (await hq.do("memory.list", _token=ada))["items"]] == [slug]


async def test_a_session_opens_with_what_was_chosen_and_a_brief_chooses(hq, known):
    told = str(await hq.do("context.show", agent="forge"))
    assert SHARED in told and "40000" not in told

    mission = (await hq.do("mission.create", title="Prepare the budget for the acquisition"))["slug"]
    await hq.do("mission.assign", ref=mission, to="forge")

    assert "40000" in str(await hq.do("memory.list", _token=known))


async def test_what_agents_found_comes_before_the_ceo_and_into_the_review(hq, known):
    await hq.do("agent.load")
    await hq.do("memory.add", content="The printer needs new toner.", _token=known)

    (item,) = (await hq.do("memory.review"))["items"]

    assert item["content"] == "The printer needs new toner." and item["source"] == "agent:forge"
    assert "The printer needs new toner." in str(await hq.do("context.show", agent="chief"))
