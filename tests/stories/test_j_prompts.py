"""J2, J5 and what an agent may know: the whole prompt can be looked at, and raw company memory stays with who curates it."""

from __future__ import annotations

import re

from tests.support.play import Told, house  # noqa: F401
from tests.support.searching import catch_up
from tests.support.story_worker import worker

DONE = 'Done. <task-complete reason="done" memory_entry_count="0"/>'


async def test_j2_the_whole_prompt_is_shown_part_by_part_with_its_tokens(house):  # noqa: F811
    hq = house.hq
    await hq.do("chat.say", agent="chief", text="Build me a flight tracker.")
    mind = Told(["I look into it."])
    await worker(house, mind).run_once()
    await hq.do("mission.create", title="Flight tracker")

    shown = await hq.do("context.show", agent="chief")

    parts = {part: [each["name"] for each in shown["sections"] if each["part"] == part] for part in shown["parts"]}
    assert list(parts) == ["system", "tools", "history", "now"]
    assert parts["system"][0] == "_shared/CLAUDE.md" and parts["system"][-2:] == [
        "end",
        "identity",
    ]  # what can change, last
    assert "CLAUDE.md" in parts["system"]
    assert parts["history"] == ["1 asked", "2 answered"] and {"time", "missions", "staff"} <= set(parts["now"])
    assert shown["tokens"] == sum(shown["parts"].values()) == sum(each["tokens"] for each in shown["sections"])
    ask = mind.asked[0]
    for said in (
        ask.instructions.splitlines()[2],
        "Build me a flight tracker.",
        "I look into it.",
        '- flight-tracker "Flight tracker": backlog',
    ):
        assert said in shown["text"]
    assert {tool.name for tool in ask.tools} == set(parts["tools"])


async def test_j2_a_session_is_shown_as_it_would_begin_and_nobody_elses_as_ones_own(house):  # noqa: F811
    hq = house.hq
    shown = await hq.do("context.show", agent="operator")
    assert [each["name"] for each in shown["sections"] if each["part"] == "history"] == ["header"]

    thread = (await hq.do("chat.say", agent="chief", text="Hi"))["session"]
    refused = await hq.call("context.show", agent="operator", session=thread)
    assert refused.error["code"] == "not_found" and "no session of operator" in refused.error["message"]


async def test_j10_company_now_says_what_moves_what_is_stuck_and_what_is_left(house):  # noqa: F811
    hq = house.hq
    await hq.do("agent.create", name="scout", role="Researcher")
    await hq.do("mission.create", title="Trip", deadline="2020-01-01T00:00:00Z", deliverables=["file:trip.md"])
    for name in ("Hotels", "Flights"):
        await hq.do("mission.create", title=name, parent="trip", deliverables=[f"file:{name}.md"])
    await hq.do("mission.assign", ref="trip", to="scout")
    await hq.do("chat.say", agent="chief", text="How is it going?")
    mind = Told(["Well."])
    await worker(house, mind).run_once()

    now = next(ask.now for ask in mind.asked if "You are **chief**" in ask.instructions)
    assert "- scout (Researcher): on trip" in now and "chief: $7.00 of $7.00 today" in now
    assert '- trip "Trip": assigned, with scout, 0 of 2 parts done, overdue by' in now
    assert "hotels" not in now  # told with the whole
    assert "(none)" not in now


async def test_j_2_only_the_ceo_and_the_operator_are_told_raw_memories(house):  # noqa: F811
    hq = house.hq
    await hq.do("agent.create", name="scout", role="Researcher")
    await hq.do("memory.add", content="The budget for travel is 9000 dollars.")
    await catch_up(hq)
    minds = {}
    for agent in ("scout", "chief"):
        await hq.do("agent.send", agent=agent, text="What is the budget for travel?")
        minds[agent] = Told([DONE])
        await worker(house, minds[agent]).run_once()

    def told(agent: str) -> str:
        ask = minds[agent].asked[0]
        return f"{ask.instructions}{ask.messages}{ask.now}"

    assert "9000 dollars" in minds["chief"].asked[0].now and "9000 dollars" not in told("scout")


async def test_j5_a_mission_begins_with_its_brief_and_a_limit_of_its_own(house):  # noqa: F811
    hq = house.hq
    await hq.do("agent.create", name="scout", role="Researcher")
    await hq.do("mission.create", title="Birds", token_budget=50_000, deliverables=["file:birds.md"])
    await hq.do("mission.assign", ref="birds", to="scout")
    mind = Told([DONE])
    await worker(house, mind).run_once()

    ask = mind.asked[0]
    assert "MISSION BRIEF (birds)" in str(ask.messages[0].parts[0].content)
    assert (
        '- birds "Birds": assigned, with scout' in ask.now and "this mission: 50,000 of 50,000 tokens in all" in ask.now
    )
    assert "Staff:" not in ask.now  # what it leads nobody for is not told


async def test_j10_a_question_that_was_passed_on_to_the_founder_is_told_to_the_ceo_who_carries_the_answer(house):  # noqa: F811
    hq = house.hq
    await hq.do("agent.create", name="scout", role="Researcher")
    raised = await hq.call("escalation.raise", summary="Which market?", _token=await hq.agent("scout"))
    chief, slug = await hq.agent("chief"), raised.data["slug"]
    await hq.do("escalation.pass_on", ref=slug, _token=chief)

    now = (await hq.do("context.show", agent="chief"))["text"]
    listed = await hq.do("ask.list", _token=chief)

    assert f"Waits for the founder's word:\n- {slug}: " in now
    assert [each["slug"] for each in listed["items"]] == [slug]
    assert (await hq.do("ask.list", _token=await hq.agent("operator")))["items"] == []


async def test_o5_who_reports_to_the_ceo_is_one_truth(house):  # noqa: F811
    """Each of those who are told that they report to the CEO is told to the CEO, and a vacant seat is nobody's."""
    for name in ("Paula", "Rui"):
        await house.hq.do("agent.hire", name=name, title=f"{name}s desk")

    now = (await house.hq.do("context.show", agent="chief"))["text"]

    assert "To you report: Operations (operator), Paulas desk (paula), Ruis desk (rui)." in now
    assert "You report to chief, the CEO." in (await house.hq.do("context.show", agent="paula"))["text"]


async def test_j5_a_brief_names_no_tool_that_is_not_offered(house):  # noqa: F811
    hq = house.hq
    await hq.do("agent.hire", name="Rui", title="Researcher")
    await hq.do("mission.create", title="Birds", deliverables=["file:birds.md"])
    await hq.do("mission.assign", ref="birds", to="rui")
    mind = Told([DONE])
    await worker(house, mind).run_once()

    told, offered = str(mind.asked[0].messages[0].parts[0].content), {tool.name for tool in mind.asked[0].tools}
    assert "AVAILABLE TOOLS" not in told and "your commander, to whom you report" in told
    assert set(re.findall(r"\b(?:mission|escalation|agent|memory)_[a-z]+\b", told)) <= offered
