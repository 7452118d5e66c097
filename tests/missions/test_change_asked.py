"""A change of what was made, or of what is wanted while it is made: whose word it is, and who hears it."""

from __future__ import annotations

import pytest

from tests.support.desk import delivered, desk
from tests.support.passable import tmp_path
from tests.support.sandboxes import MISSING

__all__ = ["tmp_path"]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=str(MISSING))


@pytest.mark.parametrize("who", ["the founder", "chief"])
async def test_m9_a_change_says_who_asked_for_it(firm, who):
    mission = await delivered(firm)
    await firm.hire(name="chief", role="CEO", kind="ceo")
    token = {} if who == "the founder" else {"_token": await firm.token("chief")}

    change = await firm.hq.do("mission.change", ref=mission, words="Say goodbye.", **token)

    assert (await firm.props(change["slug"]))["acceptance_criteria"] == [f"Asked for by {who}: Say goodbye."]


async def test_the_brief_says_how_an_app_is_opened(firm):
    mission = await firm.at_work("Flight tracker", deliverables=["file:app.py"])
    told = (await firm.hq.do("session.show", id=(await firm.sessions("forge"))[0]["session"]))["trigger"]["text"]

    assert all(word in told for word in ("HOST", "PORT", "DATA_DIR", "Procfile")), mission


async def test_m7_what_is_wanted_instead_is_told_to_who_is_at_work_before_anything_else(firm):
    await firm.hire(name="chief", role="CEO", kind="ceo")
    mission = await firm.at_work("Flight tracker", description="As a page.", deliverables=["file:app.py"])
    session = (await desk(firm, mission)).session

    turned = await firm.hq.do(
        "mission.change", ref=mission, words="As a PDF.", instead=True, _token=await firm.token("chief")
    )

    assert turned["slug"] == mission and turned["agent"] == "forge"
    assert (await firm.props(mission))["description"] == "As a page.\n\nWhat is wanted now, says chief: As a PDF."
    [told] = [each for each in (await firm.hq.do("agent.inbox", agent="forge"))["items"] if each["kind"] == "interrupt"]
    assert "As a PDF." in str(told)
    assert [each["session"] for each in await firm.sessions("forge")] == [session], "it joins who is at work"
