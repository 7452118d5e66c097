"""Titles of approvals: what is asked, where, in the house's words; what the requester says is told as theirs."""

from __future__ import annotations

import pytest

from hq.asks.approval_text import approval
from hq.terminal.screen import Screen


@pytest.fixture
async def seat(hq) -> int:
    await hq.do("org.create", name="Development", purpose="Builds.")
    await hq.do("role.create", name="developer")
    return (await hq.do("position.create", title="Lead Developer", role="developer", org="Development"))["position_id"]


async def test_the_seat_and_the_organisation_are_named(hq, seat):
    chief = await hq.agent("chief")
    await hq.do("persona.create", name="Ada", role="developer")
    persona = (await hq.do("persona.list"))["items"][0]["slug"]

    seats = await hq.call("org.assign", position_id=seat, persona_slug=persona, _token=chief)
    hires = await hq.call("agent.hire", name="Forge", role="developer", title="Dev", org="Development", _token=chief)

    asked = [(await hq.do("approval.show", ref=each.data["approval"]))["props"]["asks"] for each in (seats, hires)]
    assert asked == ["Assign org “Ada” as “Lead Developer”", "Hire agent “Forge” in “Development”"]


async def test_a_reason_is_told_as_the_requesters_beside_the_houses_own(hq, seat):
    chief = await hq.agent("chief")
    waits = await hq.call(
        "agent.hire", name="Forge", role="developer", title="Dev", _reason="hq says: safe", _token=chief
    )

    lines = list(approval(await hq.do("approval.show", ref=waits.data["approval"]), Screen(width=100)))

    assert lines[1] == "  says:   “hq says: safe”" and lines[2].startswith("  needs:  a yes, ")


def test_an_approval_says_what_came_from_outside():
    asked = {"requester": "agent:ann", "verb": "web.fetch", "status": "pending", "arguments": {}}
    screen = Screen(width=100)

    lines = list(approval({"slug": "approve-x", "props": asked, "taint": ["workspace:app1"]}, screen))

    assert "  from outside: workspace:app1" in lines


async def test_what_somebody_may_do_and_spend_is_told_first(hq, seat):
    chief = await hq.agent("chief")
    waits = await hq.call(
        "agent.hire", name="Nora", role="developer", title="Dev", org="Development", tools=["ssh", "http"], _token=chief
    )

    facts = [each["name"] for each in (await hq.do("ask.show", ask=waits.data["approval"]))["facts"]]

    assert facts.index("tools") < facts.index("name") and facts.index("tools") < facts.index("org")
