"""Overruling: what the CEO answered the founder decides otherwise. Only what holds binds, and what was handed in is changed."""

from __future__ import annotations

import pytest

from hq.minds.prompt_data import NOT_TO_ANSWER
from tests.support.desk import desk
from tests.support.passable import tmp_path
from tests.support.play import DONE, Told, texts
from tests.support.sandboxes import MISSING

__all__ = ["tmp_path"]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=str(MISSING))

QUESTION, ANY, CESSNA = "Which aircraft is the checklist for?", "Any aircraft", "Cessna 172"


async def answered(firm, mission: str) -> str:
    """What the CEO answered to a question about a mission; the slug of the escalation."""
    hq = firm.hq
    await firm.hire(name="chief", role="Chief", kind="ceo")
    asking = {"summary": QUESTION, "mission": mission, "options": [ANY, CESSNA]}
    asked = (await hq.call("escalation.raise", **asking, _token=await firm.token("forge"), _key="e")).data
    await hq.do("escalation.resolve", ref=asked["slug"], answer=ANY, _token=await firm.token("chief"))
    return asked["slug"]


async def handed_in(firm) -> tuple[str, str]:
    mission = await firm.at_work("Flight day checklist", deliverables=["file:app.py"])
    ask = await answered(firm, mission)
    forge = await desk(firm, mission)
    await forge.write("app.py", "print(1)")
    assert (await forge.do("mission.submit", ref=mission, outcome="It is there."))["status"] == "done"
    await firm.hq.do("session.stop", id=forge.session, why="done")
    return mission, ask


async def changes(firm) -> list[dict]:
    return [each for each in (await firm.hq.do("mission.list"))["items"] if each["slug"].startswith("change-of")]


async def test_what_is_overruled_after_the_hand_in_is_changed_by_the_same_agent_who_is_told_both_answers(firm):
    mission, ask = await handed_in(firm)
    before = len(await firm.sessions("forge"))

    await firm.hq.do("escalation.resolve", ref=ask, answer=CESSNA)

    [change] = await changes(firm)
    [session, *_] = woken = (await firm.sessions("forge"))[: len(await firm.sessions("forge")) - before]
    told = (await firm.hq.do("session.show", id=session["session"]))["trigger"]["text"]
    assert len(woken) == 1 and change["slug"] in told and mission in told
    for said in (QUESTION, ANY, CESSNA, "by chief", "The founder overruled"):
        assert said in told, told


async def test_only_what_holds_binds_the_change_and_is_told_of_it(firm):
    mission, ask = await handed_in(firm)

    await firm.hq.do("escalation.resolve", ref=ask, answer=CESSNA)

    [change] = await changes(firm)
    brief = (await firm.hq.do("mission.brief", ref=change["slug"], to="forge"))["prompt"]
    binding = brief.partition("CONSTRAINTS:")[2].partition("DELIVERABLES:")[0]
    assert f"Decided: {QUESTION} → {CESSNA}" in binding and f"→ {ANY}" not in brief
    decided = [each for each in await firm.evidence(change["slug"]) if each.startswith("decided")]
    assert decided == [f"decided: {CESSNA}"]
    assert f"decided: {ANY} (overruled: {CESSNA})" in await firm.evidence(mission)
    notes = (await firm.hq.do("mission_memory.list", mission=mission, kind="decision"))["items"]
    assert [each["title"] for each in notes] == [f"{QUESTION} → {CESSNA}"]
    told = str((await firm.hq.do("ceo.brief", since="3d"))["sections"])
    assert CESSNA in told and f"'{ANY}'" not in told


async def test_what_is_overruled_while_it_is_worked_on_is_said_to_who_works_on_it_with_both_answers(firm):
    mission = await firm.at_work("Flight day checklist", deliverables=["file:app.py"])
    ask = await answered(firm, mission)

    await firm.hq.do("escalation.resolve", ref=ask, answer=CESSNA)

    heard = str((await firm.hq.do("agent.inbox", agent="forge"))["items"])
    assert f'"{ANY}" by chief' in heard and f'overruled that: "{CESSNA}"' in heard
    assert await changes(firm) == []


async def test_a_change_that_is_at_work_already_goes_the_other_way(firm):
    mission, ask = await handed_in(firm)
    later = (await firm.hq.do("mission.change", ref=mission, words="Larger letters."))["slug"]
    await firm.hq.do("mission.accept", ref=later)

    await firm.hq.do("escalation.resolve", ref=ask, answer=CESSNA)

    assert [each["slug"] for each in await changes(firm)] == [later]
    assert [(each["answer"], each.get("overruled")) for each in (await firm.props(later))["decided"]] == [
        (CESSNA, None)
    ]


async def test_what_was_given_up_is_not_begun_again_by_another_answer(firm):
    mission = await firm.at_work("Flight day checklist", deliverables=["file:app.py"])
    ask = await answered(firm, mission)
    await firm.hq.do("mission.fail", ref=mission, why="No flight school any more.")
    before = len(await firm.sessions("forge"))

    await firm.hq.do("escalation.resolve", ref=ask, answer=CESSNA)

    assert await changes(firm) == [] and len(await firm.sessions("forge")) == before


async def test_the_ceo_gets_to_know_that_the_founder_overruled_and_is_asked_nothing(shift):
    hq = shift.firm.hq
    _, ask = await handed_in(shift.firm)
    await hq.do("chat.say", text="Hello")
    await shift.run(Told(["Hello."]))

    await hq.do("escalation.resolve", ref=ask, answer=CESSNA)
    await shift.run(silent := Told([DONE] * 5))
    assert not any("Hello" in texts(each.messages) for each in silent.asked), "it cost the CEO nothing"
    await hq.do("chat.say", text="What is new?")
    await shift.run(mind := Told(["Nothing."] * 5))

    [known] = [text for text in texts(mind.asked[0].messages) if "overruled" in text]
    assert known.startswith(NOT_TO_ANSWER) and f'"{ANY}" by chief' in known and f'"{CESSNA}"' in known
    assert "forge changes it" in known


async def test_what_the_persona_learned_of_it_is_the_answer_that_stands(firm, hq):
    await hq.do("org.create", template="software-team")
    seats = {row["title"]: row["position_id"] for row in (await hq.do("position.list", org="1"))["items"]}
    await hq.do("agent.hire", name="Dev", position_id=seats["Developer"])
    await firm.hire(name="chief", role="Chief", kind="ceo")
    asked = (await hq.call("escalation.raise", summary=QUESTION, _token=await firm.token("dev"))).data["slug"]
    await hq.do("escalation.resolve", ref=asked, answer=ANY, _token=await firm.token("chief"))
    persona = next(row["slug"] for row in (await hq.do("persona.list"))["items"] if row["name"] == "Dev")
    await hq.do("persona.append_experience", slug=persona, body="Small plans get built.")

    await hq.do("escalation.resolve", ref=asked, answer=CESSNA)

    learned = (await hq.do("persona.experience", slug=persona))["text"]
    assert CESSNA in learned and "Small plans" in learned and ANY not in learned
