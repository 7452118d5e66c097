"""The plan gate (003 §5): three things to bring make three steps, criteria do not; who forgot it is told what to call."""

from __future__ import annotations

from tests.support.firm import firm
from tests.support.passable import tmp_path

__all__ = ["firm", "tmp_path"]

CRITERIA = ["It opens", "It adds a flight", "It sums up"]


async def test_l_three_acceptance_criteria_are_no_three_steps(firm):
    mission = await firm.mission("Flight tracker", deliverables=["file:app.py"], acceptance_criteria=CRITERIA)
    await firm.hq.do("mission.assign", ref=mission, to="forge")

    assert (await firm.hq.do("mission.accept", ref=mission))["status"] == "in_progress"


async def test_l_who_hands_in_before_the_plan_is_told_to_state_it(firm):
    mission = await firm.mission("Flight tracker", deliverables=["file:a", "file:b", "file:c"])
    await firm.hq.do("mission.assign", ref=mission, to="forge")
    early = await firm.hq.call("mission.submit", ref=mission, outcome="Done.")
    accepted = await firm.hq.do("mission.accept", ref=mission)

    refused = await firm.hq.call("mission.submit", ref=mission, outcome="Done.")

    assert "mission_accept" in str(early.error)
    assert accepted["status"] == "planning" and "mission_plan" in accepted["says"]
    assert "mission_plan" in str(refused.error)
