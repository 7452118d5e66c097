"""J6 and J7: missions through their states, and three ways to give a part of one away."""

from __future__ import annotations

import pytest

from tests.support.firm import Firm, firm, tmp_path  # noqa: F401

PART = {"title": "Compare chart libraries", "to": "scout", "reason": "to choose one", "description": "Research three."}
WAYS = {
    "pre_approved": {"collaborators": ["scout"], "delegation_budget": 5000},
    "request_approval": {},
    "autonomous": {"collaborators": ["*"], "delegation_budget": 8000, "escalation_threshold": 3000},
}


@pytest.mark.parametrize(("way", "starts"), [("pre_approved", True), ("request_approval", False), ("autonomous", True)])
async def test_j6_each_way_is_recorded_narrowed_bound_and_reported_back(firm: Firm, hq, way, starts):  # noqa: F811
    mission = await firm.mission(token_budget=10_000)
    await hq.do("mission.assign", ref=mission, to="forge", delegation=way, **WAYS[way])
    forge, scout = await firm.token("forge"), await firm.token("scout")
    await hq.do("mission.accept", ref=mission, _token=forge)

    given = await hq.call("mission.delegate", ref=mission, **PART, tokens=2000, _token=forge, _key="d")
    assert given.ok is starts
    if not starts:
        [asked] = (await hq.do("ask.list", kind="delegation"))["items"]
        assert (await hq.call("ask.answer", ask=asked["slug"], option="yes", _token=scout)).code == "not_found"
        assert (await hq.call("delegation.approve", ref=given.data["slug"], _token=scout)).code == "forbidden"
        await hq.do("delegation.approve", ref=given.data["slug"])
    [delegation] = (await hq.do("delegation.list"))["items"]
    part = given.data["mission"]
    [brief] = (await hq.do("brief.list", mission=part))["items"]
    assert brief["delegation_rules"] == ("autonomous" if way == "autonomous" else "request_approval")
    limits = {each["period"]: each for each in (await hq.do("budget.show", on=part))["limits"]}
    assert limits["total"]["tokens_hard"] == 2000

    await hq.do("mission.accept", ref=part, _token=scout)
    await hq.do("mission.submit", ref=part, outcome="uPlot.", _token=scout)
    await hq.do("mission.sign_off", ref=part)

    told = (await hq.do("agent.inbox", agent="forge"))["items"][0]
    assert told["kind"] == "report" and "uPlot." in str(told)
    assert (await hq.do("delegation.show", ref=delegation["slug"]))["props"]["status"] == "done"


async def test_j6_no_way_gives_more_than_the_mission_has(firm: Firm, hq):  # noqa: F811
    mission = await firm.mission(token_budget=10_000)
    await hq.do("mission.assign", ref=mission, to="forge", delegation="autonomous", **WAYS["autonomous"])
    forge = await firm.token("forge")
    await hq.do("mission.accept", ref=mission, _token=forge)

    over = await hq.call("mission.delegate", ref=mission, **PART, tokens=10_001, _token=forge)

    assert over.code == "conflict" and "10,000 tokens left" in over.message
    assert (await hq.do("delegation.list"))["items"] == []


async def test_j7_a_mission_goes_through_its_eight_states_with_all_that_belongs_to_it(firm: Firm, hq, clock):  # noqa: F811
    seen = []

    async def look() -> dict:
        props = await firm.props("trip")
        seen.append(props["status"])
        return props

    deadline = clock.now().replace(year=clock.now().year + 1, microsecond=0).isoformat()
    said = {"priority": "high", "tags": ["travel"], "token_budget": 9000, "cost_limit": 2.5, "deadline": deadline}
    await firm.mission("Trip", deliverables=["file:a", "file:b", "file:c"], **said)
    await firm.mission("Hotels", parent="trip")
    props = await look()
    assert {"priority": "high", "token_budget": 9000, "cost_limit": 2.5}.items() <= props.items()
    await hq.do("mission.assign", ref="trip", to="forge")
    await look()
    forge = await firm.token("forge")
    await hq.do("mission.accept", ref="trip", _token=forge)
    await look()
    await hq.call("mission.plan", ref="trip", steps=["A", "B", "C"], _token=forge, _key="p")
    await hq.do("mission.settle_plan", ref="trip")
    await look()
    await hq.do("mission.pause", ref="trip", why="the founder is away")
    await look()
    await hq.do("mission.resume", ref="trip")
    await firm.deliver("trip", a="1", b="2", c="3")
    await hq.do("mission.fail", ref="hotels", why="fully booked")
    assert await firm.status("hotels") == "failed"
    done = await hq.do("mission.submit", ref="trip", outcome="Booked.", lessons="Ask for receipts.", _token=forge)
    if done["status"] == "review":
        await look()
        await hq.do("mission.sign_off", ref="trip")
    props = await look()

    states = {"backlog", "assigned", "planning", "in_progress", "paused", "review", "done"}
    assert set(seen) | {"review"} == states and props["outcome_summary"] == "Booked."
    assert "Ask for receipts." in str((await hq.do("memory.list", limit=20))["items"])
    tree = await hq.do("mission.tree", ref="trip")
    assert "hotels" in str(tree)
