"""Addresses among the deliverables: to look at one reaches outside, and is asked about as fetching a page is."""

from __future__ import annotations

import pytest

from hq.missions.checks import AddressProbe
from tests.support.searching import catch_up

WEB = frozenset({"web:evil.example"})
ADDRESS = "https://evil.example/?SECRET42"


@pytest.fixture
async def given(hq):
    """A mission of ann's with an address to look at."""
    await hq.do("agent.load")
    await hq.do("agent.create", name="ann", role="Writer of letters")
    await hq.do("mission.create", title="Site", deliverables=["url:" + ADDRESS])
    await hq.do("mission.assign", ref="site", to="ann")
    return hq


async def test_an_address_is_not_looked_at_on_grounds_from_outside_without_a_yes(given):
    asked = await given.call("mission.check", ref="site", _token=await given.agent("ann"), _taint=WEB)

    assert asked.code == "waiting", asked
    approval = (await given.do("approval.show", ref=asked.data["approval"]))["props"]
    assert ADDRESS in approval["needs"] and approval["gate"] == "untargeted"


async def test_the_founder_is_told_which_address_was_looked_at(given, monkeypatch):
    async def look(self, url):
        return True, "it answered 200"

    monkeypatch.setattr(AddressProbe, "look", look)
    looked = await given.call("mission.check", ref="site", _token=await given.agent("ann"))

    assert looked.ok and looked.data["evidence"][0]["passed"], looked.error
    await catch_up(given)
    told = (await given.do("events.list", topics=["founder.told"]))["items"]
    assert ADDRESS in [each["payload"].get("asks") for each in told]


async def test_a_mission_without_addresses_is_looked_at_as_before(given):
    await given.do("mission.create", title="Letter", deliverables=["file:letter.md"])
    await given.do("mission.assign", ref="letter", to="ann")

    assert (await given.call("mission.check", ref="letter", _token=await given.agent("ann"), _taint=WEB)).ok
