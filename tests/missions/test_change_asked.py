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
    props = await firm.props(mission)
    assert (
        props["description"].startswith("What is wanted now, says chief: As a PDF.")
        and "As a page." in props["description"]
    )
    [told] = [each for each in (await firm.hq.do("agent.inbox", agent="forge"))["items"] if each["kind"] == "interrupt"]
    assert "As a PDF." in str(told)
    assert [each["session"] for each in await firm.sessions("forge")] == [session], "it joins who is at work"


async def test_what_is_wanted_instead_is_what_it_is_called_and_accepted_by_from_then_on(firm):
    await firm.hire(name="chief", role="CEO", kind="ceo")
    token = await firm.token("chief")
    mission = await firm.at_work("Lisbon packing list", acceptance_criteria=["Clothes for four days", "A coat"])

    await firm.hq.do("mission.change", ref=mission, words="For Porto, one night.", instead=True, _token=token)
    first = await firm.props(mission)
    await firm.hq.do("mission.change", ref=mission, words="For Braga.", instead=True, _token=token)
    second = await firm.props(mission)

    assert first["title"] == "Lisbon packing list, now: For Porto, one night"
    assert first["acceptance_criteria"] == [
        "Asked for by chief: For Porto, one night.", "Where it still fits: Clothes for four days", "Where it still fits: A coat",
    ]  # fmt: skip
    assert second["title"] == "Lisbon packing list, now: For Braga"
    assert second["acceptance_criteria"] == ["Asked for by chief: For Braga.", *first["acceptance_criteria"][1:]]


async def test_whoever_changes_its_mind_may_say_what_it_is_called_and_must_be_now(firm):
    await firm.hire(name="chief", role="CEO", kind="ceo")
    mission = await firm.at_work("Lisbon packing list", acceptance_criteria=["Clothes for four days"])

    await firm.hq.do(
        "mission.change", ref=mission, words="For Porto, one night.", instead=True, title="Porto packing list",
        acceptance_criteria=["Clothes for two days"], _token=await firm.token("chief"),
    )  # fmt: skip

    props = await firm.props(mission)
    assert (props["title"], props["acceptance_criteria"]) == ("Porto packing list", ["Clothes for two days"])


async def test_a_change_that_goes_another_way_is_reported_as_what_it_became(firm):
    mission = await delivered(firm)
    await firm.hire(name="chief", role="CEO", kind="ceo")
    token = await firm.token("chief")
    change = (await firm.hq.do("mission.change", ref=mission, words="Add a dark mode.", _token=token))["slug"]

    await firm.hq.do("mission.change", ref=change, words="Bigger letters, no dark mode.", instead=True, _token=token)

    props = await firm.props(change)
    assert change == f"change-of-{mission}"
    assert props["title"].endswith(": Bigger letters, no dark mode") and props["title"].count(": ") == 1
    assert props["acceptance_criteria"] == ["Asked for by chief: Bigger letters, no dark mode."]


@pytest.mark.parametrize(
    ("verb", "new"),
    [("update", {"title": "Porto list"}), ("update", {"acceptance_criteria": ["One night"]}), ("revise", {"deliverables": ["file:porto.md"]})],
)  # fmt: skip
async def test_whose_work_is_wanted_otherwise_hears_it_at_once(firm, verb, new):
    mission = await firm.at_work("Lisbon packing list", deliverables=["file:lisbon.md"])

    await firm.hq.do(f"mission.{verb}", ref=mission, **new)
    await firm.hq.do(f"mission.{verb}", ref=mission, **new)  # the same again is nothing new

    [told] = [each for each in (await firm.hq.do("agent.inbox", agent="forge"))["items"] if each["kind"] == "interrupt"]
    assert str(next(iter(new.values()))).strip("[]'") in str(told)
