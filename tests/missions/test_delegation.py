"""Delegation: three rules, means that are never exceeded, narrowed briefs, and results that come back up."""

from __future__ import annotations

import pytest

from tests.support.paying import rows

TEST = {"title": "Compare chart libraries", "to": "scout", "reason": "to choose one", "description": "Research three."}


@pytest.fixture
async def led(firm, hq):
    """A mission that forge leads, by the given rules; gives what calls `mission.delegate` as forge."""

    async def lead(**terms):
        mission = await firm.mission("Build the web app", token_budget=10_000)
        await hq.do("mission.assign", ref=mission, to="forge", **terms)
        forge = await firm.token("forge")
        await hq.do("mission.accept", ref=mission, _token=forge)

        async def delegate(key="d", **more):
            return await hq.call("mission.delegate", ref=mission, **{**TEST, **more}, _token=forge, _key=key)

        return delegate

    return lead


PRE = {"delegation": "pre_approved", "collaborators": ["scout"], "delegation_budget": 5000}
FREE = {"delegation": "autonomous", "collaborators": ["*"], "delegation_budget": 8000, "escalation_threshold": 3000}


async def test_an_approved_collaborator_starts_at_once_with_a_narrowed_brief(firm, hq, led):
    delegate = await led(**PRE)

    made = (await delegate(tokens=2000, deliverables=["A table of three"])).data

    assert (made["status"], made["to"]) == ("in_progress", "scout")
    (session,) = await firm.sessions("scout")
    text = (await hq.do("session.show", id=session["session"]))["trigger"]["text"]
    assert "This mission comes from forge" in text and "max 2,000 tokens" in text
    props = (await hq.do("delegation.show", ref=made["slug"]))["props"]
    assert (props["approved_by"], props["tokens_budget"]) == ("pre_approved", 2000)
    brief = (await hq.do("brief.list", mission=made["mission"]))["items"][0]
    assert brief["delegation_rules"] == "request_approval"


async def test_beyond_the_helpers_budget_or_to_another_it_is_asked(firm, hq, led):
    await firm.hire(name="echo", role="Research Analyst", description="Compares libraries.")
    delegate = await led(**PRE)

    assert (await delegate(tokens=6000)).error["code"] == "waiting"
    assert (await delegate("e", to="echo", tokens=100)).error["code"] == "waiting"
    assert await firm.sessions("scout") == []


async def test_never_more_than_the_mission_has_left(led, firm, hq):
    delegate = await led(**FREE)
    await delegate(tokens=3000)

    over = await delegate("e", tokens=7001)

    assert over.error["code"] == "conflict" and "7,000 tokens left" in over.error["message"]
    assert len((await hq.do("delegation.list"))["items"]) == 1


async def test_asking_each_time_waits_and_a_yes_starts_the_helper(firm, hq, led):
    delegate = await led()
    waits = await delegate(tokens=2000)
    assert waits.error["code"] == "waiting" and await firm.sessions("scout") == []

    forge = await firm.token("forge")
    assert (await hq.call("delegation.approve", ref=waits.data["slug"], _token=forge)).error["code"] == "forbidden"
    await hq.do("delegation.approve", ref=waits.data["slug"])

    settled = await delegate(tokens=2000)
    assert settled.ok and settled.data["status"] == "in_progress"
    assert len(await firm.sessions("scout")) == 1


async def test_help_that_was_agreed_wakes_nobody_but_the_helper(house):
    """The operator was woken by each, with nothing to do about it."""
    for name, role in (("forge", "Developer"), ("scout", "Research Analyst")):
        about = "Compares chart libraries and writes web apps."
        await house.hq.do("agent.create", name=name, role=role, description=about)
    await house.wakes_on("proposal.accepted")
    await house.hq.do("mission.create", title="Build the web app", token_budget=10_000)
    await house.hq.do("mission.assign", ref="build-the-web-app", to="forge")
    forge = await house.hq.agent("forge", scopes=["read", "write"])
    await house.hq.do("mission.accept", ref="build-the-web-app", _token=forge)
    waits = await house.hq.call("mission.delegate", ref="build-the-web-app", **TEST, _token=forge)
    await house.settle()

    await house.hq.do("delegation.approve", ref=waits.data["slug"])
    await house.settle()

    assert await rows(house.hq, "select agent, topic from ops.wakes") == []
    assert (await house.hq.do("session.list", agent="operator"))["items"] == []
    assert len((await house.hq.do("session.list", agent="scout"))["items"]) == 1


@pytest.mark.parametrize("who", ["founder", "ceo", "commander"])
async def test_who_agreed_to_help_is_kept(firm, hq, who):
    await hq.do("agent.load")
    await firm.hire(name="lead", role="Team lead", description="Leads.")
    lead, forge = await hq.agent("lead"), await firm.token("forge")
    mission = (await hq.do("mission.create", title="Build the web app", _token=lead))["slug"]
    await hq.do("mission.assign", ref=mission, to="forge", _token=lead)
    await hq.do("mission.accept", ref=mission, _token=forge)
    waits = await hq.call("mission.delegate", ref=mission, **TEST, _token=forge)

    token = {"founder": hq.token, "ceo": await hq.agent("chief"), "commander": lead}[who]
    await hq.do("delegation.approve", ref=waits.data["slug"], _token=token)

    props = (await hq.do("delegation.show", ref=waits.data["slug"]))["props"]
    assert (props["status"], props["approved_by"]) == ("in_progress", who)


async def test_a_no_reaches_who_asked(firm, hq, led):
    delegate = await led()
    waits = await delegate(tokens=2000)

    await hq.do("delegation.reject", ref=waits.data["slug"], note="do it yourself")

    settled = await delegate(tokens=2000)
    assert settled.ok and settled.data["status"] == "rejected" and "do it yourself" in settled.data["why"]
    assert await firm.status(waits.data["mission"]) == "failed"


async def test_the_mesh_asks_only_above_its_threshold(led):
    delegate = await led(**FREE)

    assert (await delegate(tokens=3000)).ok
    assert (await delegate("e", tokens=3001)).error["code"] == "waiting"


async def test_who_cannot_do_it_is_not_woken_and_who_can_is_named(firm, hq, led):
    await firm.hire(name="ledger", role="Accountant")
    delegate = await led(**FREE)

    refused = await delegate(to="ledger", tokens=10)

    assert refused.error["code"] == "conflict" and refused.error["hint"] == "scout can"
    assert (
        await firm.sessions("ledger") == [] and (await hq.do("mission.list"))["items"][0]["slug"] == "build-the-web-app"
    )


async def test_work_does_not_come_back_to_where_it_was(firm, hq, led):
    delegate = await led(**FREE)
    made = (await delegate(tokens=2000)).data
    scout = await firm.token("scout")
    await hq.do("mission.accept", ref=made["mission"], _token=scout)

    back = await hq.call(
        "mission.delegate", ref=made["mission"], title="Web apps", to="forge", reason="x", tokens=10, _token=scout
    )

    assert back.error["code"] == "conflict" and "would come back" in back.error["message"]


async def test_the_result_is_routed_up_and_the_delegation_is_done(firm, hq, led):
    delegate = await led(**PRE)
    made = (await delegate(tokens=2000)).data
    scout, forge = await firm.token("scout"), await firm.token("forge")
    await hq.do("mission.accept", ref=made["mission"], _token=scout)
    await hq.do("mission.submit", ref=made["mission"], outcome="uPlot.", _token=scout)
    before = len(await firm.sessions("forge"))

    await hq.do("mission.sign_off", ref=made["mission"])

    assert len(await firm.sessions("forge")) == before, "it joins who is at work on the whole"
    told = (await hq.do("agent.inbox", agent="forge"))["items"][0]
    assert "uPlot." in str(told) and told["kind"] == "report"
    assert (await hq.do("delegation.show", ref=made["slug"]))["props"]["status"] == "done"
    joined = await hq.do("mission.wait", missions=[made["mission"]], _token=forge)
    assert joined["items"][0]["outcome"] == "uPlot."


async def test_a_helper_gets_no_tool_that_who_asks_does_not_have(firm, hq):
    await hq.do("agent.update", ref="forge", tools=["hq_task", "hq_memo"])
    await hq.do("agent.update", ref="scout", tools=["hq_task", "hq_sql"])
    mission = await firm.at_work()
    await hq.do("mission.assign", ref=mission, to="forge", **PRE)
    beyond = await hq.call("mission.delegate", ref=mission, **TEST, tokens=10, tools=["hq_sql"])
    assert beyond.error["code"] == "forbidden"

    made = await hq.do("mission.delegate", ref=mission, **TEST, tokens=10)

    brief = (await hq.do("brief.list", mission=made["mission"]))["items"][0]["slug"]
    assert (await hq.do("brief.show", ref=brief))["props"]["tools_approved"] == ["hq_task"]
