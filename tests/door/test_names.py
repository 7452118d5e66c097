"""Names: a node goes by its slug, its number or its title, in whatever case, for every verb."""

from __future__ import annotations

import pytest


@pytest.fixture
async def development(hq) -> str:
    made = await hq.do("org.create", name="Development", purpose="Builds things.")
    await hq.do("role.create", name="developer")
    await hq.do("agent.hire", name="Forge", role="developer", title="Developer", org="Development")
    return made["slug"]


@pytest.mark.parametrize("name", ["Development", "development", "DEVELOPMENT", "1", "organisation:{}", "{}"])
async def test_an_organisation_goes_by_the_same_names_everywhere(hq, development, name):
    name = name.format(development)

    made = await hq.do("mission.create", title="Build it", organisation=name)
    tree = await hq.do("org.tree", org=name)
    (one,) = (await hq.do("agent.roster", org=name))["items"]

    links = (await hq.do("mission.show", ref=made["slug"]))["links"]
    assert development in [link["slug"] for link in links] and "Forge" in tree["tree"] and one["agent"] == "forge"


async def test_a_group_and_an_agent_are_written_to_by_name(hq, development):
    sent = await hq.do("agent.broadcast", group="@Development", text="Hello.")
    await hq.do("agent.send", agent="Forge", text="Hello.")
    await hq.do("agent.send", agent="agent:FORGE", text="Hello.")

    assert [each["agent"] for each in sent["items"]] == ["forge"]
    assert len((await hq.do("agent.inbox", _token=await hq.agent("forge")))["items"]) == 3


async def test_what_has_a_title_goes_by_it_and_the_ledger_has_its_slug(hq, development):
    await hq.do("mission.create", title="Flight tracker")

    shown = await hq.do("mission.show", ref="Flight Tracker")
    given = await hq.call("mission.assign", ref="flight tracker", to="Forge")

    assert shown["slug"] == given.data["slug"] == "flight-tracker" and given.data["agent"] == "forge"
    call = await hq.do("action.show", id=str(given.action_id))
    assert (call["input"]["ref"], call["input"]["to"]) == ("flight-tracker", "forge")


async def test_a_title_that_several_have_is_not_enough(hq):
    for _ in range(2):
        await hq.do("mission.create", title="Flight tracker")

    refused = await hq.call("mission.show", ref="Flight tracker")

    assert refused.error["code"] == "invalid" and "say flight-tracker, flight-tracker-2" in refused.error["message"]


async def test_a_name_reaches_no_further_than_a_slug(hq, development):
    await hq.do("org.create", name="Sales", purpose="Sells things.")
    forge = await hq.agent("forge")

    by_slug = await hq.call("mission.create", title="Sell", organisation="sells-things-sales-2", _token=forge)
    by_name = await hq.call("mission.create", title="Sell", organisation="Sales", _token=forge)

    assert by_slug.error["code"] == by_name.error["code"] == "cross_scope_violation"
