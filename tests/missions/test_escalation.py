"""Escalation: four triggers, past empty seats to the founder, the answer back to who asked and kept."""

from __future__ import annotations

from datetime import timedelta

import pytest

from hq.minds.mind import MindDeclined
from tests.support.jobs import JobHand
from tests.support.play import Told, texts
from tests.support.story_worker import worker


@pytest.fixture
async def team(firm, hq):
    """A developer under an architect's empty seat, under a lead's."""
    await hq.do("org.create", template="software-team")
    seats = {row["title"]: row["position_id"] for row in (await hq.do("position.list", org="1"))["items"]}
    await hq.do("agent.hire", name="Dev", position_id=seats["Developer"])
    return seats


async def with_whom(hq, ref: str) -> str:
    links = (await hq.do("escalation.show", ref=ref))["links"]
    return next(link["slug"] for link in links if link["edge"] == "addressed_to")


async def test_it_passes_empty_seats_up_to_the_founder(firm, hq, team):
    token = await firm.token("dev")

    asked = await hq.call("escalation.raise", summary="Postgres or SQLite?", _token=token, _key="e")

    assert asked.error["code"] == "waiting" and asked.data["to"] == "founder" and asked.data["passed"] >= 1


async def test_the_next_seat_with_somebody_in_it_is_asked_and_may_pass_it_on(firm, hq, team):
    above = (await hq.do("position.show", position_id=team["Developer"]))["escalates_to"]
    await hq.do("agent.hire", name="Boss", position_id=team[above])
    token = await firm.token("dev")

    asked = await hq.call("escalation.raise", summary="Postgres or SQLite?", _token=token)

    assert asked.data["to"] == "boss" and len(await firm.sessions("boss")) == 1
    boss = await firm.token("boss")
    passed = await hq.do("escalation.pass_on", ref=asked.data["slug"], note="It is about money.", _token=boss)
    assert passed["to"] == "founder"
    assert (await hq.call("escalation.resolve", ref=asked.data["slug"], answer="x", _token=boss)).error[
        "code"
    ] == "forbidden"


async def test_the_answer_goes_to_who_asked_and_is_remembered(firm, hq, team):
    mission = await firm.at_work("Build the store", to="dev")
    token = await firm.token("dev")
    ask = {"summary": "Postgres or SQLite?", "mission": mission, "confidence": 0.5}
    asked = await hq.call("escalation.raise", **ask, _token=token, _key="e")

    await hq.do("escalation.resolve", ref=asked.data["slug"], answer="Postgres.")

    assert (await hq.do("escalation.raise", **ask, _token=token, _key="e"))["resolution"] == "Postgres."
    props = (await hq.do("escalation.show", ref=asked.data["slug"]))["props"]
    assert props["trigger"] == "low_confidence"
    decision = (await hq.do("decision.list"))["items"][0]
    assert (decision["title"], decision["status"]) == ("Postgres or SQLite?", "accepted")
    (note,) = (await hq.do("mission_memory.list", mission=mission, kind="decision"))["items"]
    assert note["title"].endswith("→ Postgres.")
    persona = next(row["slug"] for row in (await hq.do("persona.list"))["items"] if row["name"] == "Dev")
    assert "Postgres." in (await hq.do("persona.experience", slug=persona))["text"]


async def test_who_is_sure_enough_decides_alone(firm, hq, team):
    refused = await hq.call("escalation.raise", summary="x", confidence=0.7, _token=await firm.token("dev"))
    assert refused.error["code"] == "invalid" and "sure enough" in refused.error["message"]


async def test_the_third_missing_evidence_is_raised_once(firm, hq):
    mission = await firm.at_work(deliverables=["file:README.md"])
    for _ in range(2):
        await hq.do("mission.submit", ref=mission, outcome="x")
    assert (await hq.do("escalation.list"))["items"] == []

    await hq.do("mission.submit", ref=mission, outcome="x")

    (raised,) = (await hq.do("escalation.list"))["items"]
    assert raised["trigger"] == "repeated_failure" and "3 times" in raised["title"]
    await hq.do("mission.submit", ref=mission, outcome="x")
    assert len((await hq.do("escalation.list"))["items"]) == 1


async def test_a_passed_deadline_is_raised_once_and_a_new_one_again(own_firm, own_hq, clock):
    firm, hq = own_firm, own_hq
    mission = await firm.at_work(deadline=(clock.now() + timedelta(days=1)).isoformat())
    tend = JobHand(hq, "work")
    assert await tend.run_once() == 0

    clock.advance(days=2)
    assert await tend.run_once() == 1
    assert await tend.run_once() == 0
    (raised,) = (await hq.do("escalation.list"))["items"]
    assert raised["trigger"] == "deadline"

    await hq.do("mission.revise", ref=mission, deadline=(clock.now() + timedelta(days=1)).isoformat())
    clock.advance(days=2)
    assert await tend.run_once() == 1


async def test_an_agent_that_does_not_answer_is_passed_over(own_firm, own_hq, clock):
    firm, hq = own_firm, own_hq
    await firm.hire(name="boss", role="Chief", kind="ceo")
    asked = await hq.call("escalation.raise", summary="x", _token=await firm.token("forge"))
    assert await with_whom(hq, asked.data["slug"]) == "boss"

    clock.advance(hours=5)
    assert await JobHand(hq, "work").run_once() == 1

    assert await with_whom(hq, asked.data["slug"]) == "founder"
    assert await JobHand(hq, "work").run_once() == 0


async def test_a_mission_that_waited_for_a_task_is_started_by_the_house(own_firm, own_hq):
    firm, hq = own_firm, own_hq
    await hq.do("task.create", title="Sign the contract")
    mission = await firm.mission(depends_on=["sign-the-contract"])
    await hq.do("mission.assign", ref=mission, to="forge")
    tend = JobHand(hq, "work")
    assert await tend.run_once() == 0 and await firm.sessions("forge") == []

    await hq.do("task.update", ref="sign-the-contract", status="in_progress")
    await hq.do("task.update", ref="sign-the-contract", status="done")

    assert await tend.run_once() == 1 and len(await firm.sessions("forge")) == 1
    assert await tend.run_once() == 0


@pytest.mark.parametrize(("always", "step", "category"), [(True, 4, "preference"), (False, 3, "decision")])
async def test_an_answer_is_remembered_and_told_with_the_next_brief_it_fits(firm, hq, always, step, category):
    mission = await firm.at_work("Build the web app")
    asked = await hq.call("escalation.raise", mission=mission, summary="Which chart library for the web app?")

    await hq.do("escalation.resolve", ref=asked.data["slug"], answer="Always uPlot.", always=always)

    await firm.index()
    again = await firm.mission("Draw the chart", description="Which chart library for the web app?")
    found = (await hq.do("mission.brief", ref=again, explain=True))["steps"][step - 1]["found"]
    assert [each["text"] for each in found] == ["Which chart library for the web app? → Always uPlot."]
    both = (await hq.do("memory.search", query="chart library"))["items"]
    [kept] = [each for each in both if each["status"] == "active"]
    [decided] = [each for each in both if each["status"] == "accepted"]
    assert kept["category"] == category and kept["source"] == "founder" and decided["category"] == "decision"


async def test_the_house_does_not_start_a_mission_again_and_again_for_an_agent_that_may_not_work(own_firm, own_hq):
    firm, hq = own_firm, own_hq
    await hq.do("task.create", title="Sign the contract")
    mission = await firm.mission(depends_on=["sign-the-contract"])
    await hq.do("mission.assign", ref=mission, to="forge")
    await hq.do("agent.pause", agent="forge")
    for status in ("in_progress", "done"):
        await hq.do("task.update", ref="sign-the-contract", status=status)
    tend = JobHand(hq, "work")

    assert await tend.run_once() == 0

    await hq.do("agent.resume", agent="forge")
    assert await tend.run_once() == 1 and len(await firm.sessions("forge")) == 1


async def test_what_the_house_finds_is_told_in_its_own_name(own_firm, own_hq, clock):
    firm, hq = own_firm, own_hq
    await firm.hire(name="boss", role="CEO", kind="ceo")
    mission = await firm.at_work(deadline=(clock.now() + timedelta(days=1)).isoformat())
    clock.advance(days=2)
    await JobHand(hq, "work").run_once()

    [ask] = [each for each in (await hq.do("ask.list", to="all"))["items"] if "was due" in each["title"]]
    assert ask["title"].startswith(mission) and "cannot go on" not in ask["title"]
    assert (ask["from"], ask["from_name"]) == ("service:hq", "the house")
    now = str((await hq.do("context.show", agent="boss"))["sections"])
    assert "which the house noticed" in now and "asked by agent:forge" not in now
    told = str([(await hq.do("session.show", id=each["session"]))["trigger"] for each in await firm.sessions("boss")])
    assert "The house noticed (deadline)" in told and "escalates" not in told, told
    await hq.do("escalation.resolve", ref=ask["slug"], answer="Go on.")
    assert "Your escalation" not in str((await hq.do("agent.inbox", agent="forge"))["items"])


async def test_who_calls_no_tool_while_its_question_is_open_is_told_that_it_may_wait(own_firm, own_hq):
    firm, hq = own_firm, own_hq
    mission = await firm.mission()
    await hq.do("mission.assign", ref=mission, to="forge")
    asked = await hq.call("escalation.raise", summary="Which?", mission=mission, _token=await firm.token("forge"))
    mind = Told(["I wait for the answer."])

    while await worker(firm, mind).run_once():
        pass

    [session] = await firm.sessions("forge")
    [nudge] = [text for text in texts(mind.asked[-1].messages) if text.startswith("You called no tool")]
    assert asked.data["slug"] in nudge and "wakes you" in nudge and "mission_decline" not in nudge
    assert session["state"] == "done", session
    assert (await hq.do("agent_incident.list"))["items"] == []


async def test_a_refusal_of_a_model_is_put_before_the_founder_and_is_no_incident(own_firm, own_hq):
    firm, hq = own_firm, own_hq
    mission = await firm.mission()
    await hq.do("mission.assign", ref=mission, to="forge")

    await worker(firm, Told([MindDeclined("told declined to answer this", hint="say it in other words")])).run_once()

    [session] = await firm.sessions("forge")
    assert (session["state"], (await hq.do("agent_incident.list"))["items"]) == ("failed", [])


@pytest.mark.parametrize("how", ["button", "words"])
async def test_the_founders_end_the_mission_ends_it_by_the_house_with_that_as_the_reason(firm, hq, how):
    mission = await firm.at_work("Compare three headsets", deliverables=["file:headsets.md"])
    assert (await hq.do("mission.submit", ref=mission, outcome="Not there yet."))["status"] == "in_progress"
    asking = {"summary": "operator does not answer", "mission": mission, "options": ["Wait", "End the mission"]}
    asked = (await hq.call("escalation.raise", **asking, risk="irreversible", _token=await firm.token("forge"))).data
    before = len((await hq.do("agent.inbox", agent="forge"))["items"])

    option = {"option": "end-the-mission"} if how == "button" else {"text": "Please end this mission."}
    await hq.do("ask.answer", ask=asked["slug"], **option)

    props = await firm.props(mission)
    why = "The founder ended it: operator does not answer"
    assert (props["status"], props["called_off"], props["status_reason"]) == ("failed", True, why)
    assert len((await hq.do("agent.inbox", agent="forge"))["items"]) == before, "its agent need not find out how"
    await firm.hire(name="boss", role="Chief", kind="ceo")
    now = (await hq.do("context.show", agent="boss"))["text"].partition("<company-now>")[2]
    assert why in now and "Not there yet" not in now
    [listed] = [each for each in (await hq.do("mission.list"))["items"] if each["slug"] == mission]
    assert "Not there yet" not in str(listed)
    assert "Not there yet" not in str((await hq.do("mission.tree", ref=mission))["items"])


@pytest.mark.parametrize("answer", ["Do not end the mission.", "End the mission after the tests pass.", "Wait"])
async def test_other_words_about_the_end_are_its_agents_to_act_on(firm, hq, answer):
    mission = await firm.at_work("Compare three headsets")
    asking = {"summary": "operator does not answer", "mission": mission}
    asked = (await hq.call("escalation.raise", **asking, _token=await firm.token("forge"))).data

    await hq.do("escalation.resolve", ref=asked["slug"], answer=answer)

    assert await firm.status(mission) == "in_progress"
    assert "answered" in str((await hq.do("agent.inbox", agent="forge"))["items"])
