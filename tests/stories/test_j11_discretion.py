"""J11, J-7: the risk table says which questions of agents the CEO answers alone; the founder hears of it, or decides by a button."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.support.heart import Heart
from tests.support.jobs import JobHand

DOCKER = {"summary": "Which database?", "options": ["Docker", "Cloud", "SQLite for now"]}


@pytest.fixture
async def house(own_hq):
    """The shipped agents, a developer, and a heart that beats when the test says so."""
    await own_hq.do("agent.load")
    await own_hq.do("agent.create", name="forge", role="Developer")
    await own_hq.do("ceo.quiet", hours="off")
    made = Heart(own_hq)
    await made.beat(hours=1)
    return made


async def raised(hq, **more):
    return (await hq.call("escalation.raise", **DOCKER, **more, _token=await hq.agent("forge"), _key="e")).data


async def outcome(hq, **more):
    return await hq.do("escalation.raise", **DOCKER, **more, _token=await hq.agent("forge"), _key="e")


async def remembered(hq, content: str = "Databases run in Docker.") -> str:
    return (await hq.do("memory.add", content=content, category="preference"))["slug"]


async def test_j11_the_ceo_answers_from_memory_the_founder_is_told_and_the_agent_goes_on(house):
    hq, known = house.hq, await remembered(house.hq)
    hq.clock.advance(minutes=1)
    asked = await raised(hq)
    assert asked["to"] == "chief"
    chief = await hq.agent("chief")

    await hq.do("escalation.resolve", ref=asked["slug"], answer="Docker", because=[known], _token=chief)

    assert (await outcome(hq))["resolution"] == "Docker"
    assert "Which database? → Docker" in [m["content"] for m in (await hq.do("memory.list"))["items"]]
    await house.beat(minutes=1)
    [card] = await house.cards()
    assert card["title"] == "forge asked, and chief decided: Docker"
    assert card["facts"][0]["value"] == "Databases run in Docker."
    assert [button["label"] for button in card["buttons"]] == ["Fine", "Rather Cloud", "Rather SQLite for now"]


async def test_j11_what_the_ceo_decided_the_founder_decides_otherwise_by_a_button(house):
    hq = house.hq
    asked = await raised(hq)
    await hq.do("escalation.resolve", ref=asked["slug"], answer="Docker", _token=await hq.agent("chief"))
    await house.beat(minutes=1)
    [card] = await house.cards()

    await hq.do("card.press", card=card["id"], button="rather-1")

    assert (await outcome(hq))["resolution"] == "Cloud"
    known = (await hq.do("memory.list", status="active"))["items"]
    assert [memory["content"] for memory in known] == ["Which database? → Cloud"]
    held = [(d["title"], d["status"]) for d in (await hq.do("decision.list"))["items"]]
    assert sorted(held) == [("Which database?", "accepted"), ("Which database?", "superseded")]


async def test_j11_for_a_cautious_founder_the_ceo_decides_nothing_that_was_not_decided_before(house):
    hq = house.hq
    await hq.do("tenant.set", risk_tolerance="cautious")
    known = await remembered(hq)
    hq.clock.advance(minutes=1)
    asked, chief = await raised(hq), await hq.agent("chief")
    late = (await hq.do("memory.add", content="Chief likes Docker.", _token=chief))["slug"]

    guessed = await hq.call("escalation.resolve", ref=asked["slug"], answer="Docker", _token=chief)
    made_up = await hq.call("escalation.resolve", ref=asked["slug"], answer="Docker", because=[late], _token=chief)

    assert guessed.error["code"] == "forbidden" and "escalation_pass_on" in guessed.error["hint"]
    assert made_up.error["code"] == "invalid" and "younger than the question" in made_up.error["message"]
    await hq.do("escalation.resolve", ref=asked["slug"], answer="Docker", because=[known], _token=chief)


@pytest.mark.parametrize(
    ("risk", "tolerance", "to"),
    [
        ("internal", "balanced", "chief"),
        ("reversible", "cautious", "founder"),
        ("reversible", "balanced", "chief"),
        ("irreversible", "balanced", "founder"),
        ("irreversible", "aggressive", "chief"),
        ("staffing", "balanced", "founder"),
        ("destructive", "aggressive", "founder"),
    ],
)
async def test_j11_the_table_says_whom_a_question_goes_to_and_nobody_else_answers_it(house, risk, tolerance, to):
    hq = house.hq
    await hq.do("tenant.set", risk_tolerance=tolerance)
    asked = await raised(hq, risk=risk)

    assert asked["to"] == to
    answer = await hq.call("ask.answer", ask=asked["slug"], option="docker", _token=await hq.agent("chief"))
    assert answer.ok if to == "chief" else "founder decides" in answer.error["message"]


async def test_j11_what_is_the_founders_comes_as_a_card_with_the_options_as_buttons_and_is_remembered(house):
    hq = house.hq
    asked = await raised(hq, risk="irreversible")

    await house.beat(minutes=1)
    [card] = await house.cards()
    assert [button["label"] for button in card["buttons"]] == [*DOCKER["options"], "Answer", "Later"]
    await hq.do("card.press", card=card["id"], button="cloud")

    assert (await outcome(hq, risk="irreversible"))["resolution"] == "Cloud"
    assert "Which database? → Cloud" in [m["content"] for m in (await hq.do("memory.list"))["items"]]
    await house.beat(minutes=1)
    assert len(await house.cards()) == 1, "what the founder decided is not told to the founder"
    assert asked["to"] == "founder"


async def test_j11_a_choice_asked_of_the_ceo_in_a_message_goes_by_the_same_table(house):
    hq, forge, chief = house.hq, await house.hq.agent("forge"), await house.hq.agent("chief")
    ask = {"agent": "chief", "text": "Which database?", "options": ["Docker", "Cloud"]}
    mine = (await hq.call("agent.ask", **ask, _token=forge, _key="a")).data
    founders = (await hq.call("agent.ask", **ask, risk="staffing", _token=forge, _key="b")).data
    assert (mine["agent"], founders["agent"]) == ("chief", "founder")

    await hq.do("agent.reply", message=mine["message"], text="Docker", _token=chief)

    assert (await hq.do("agent.ask", **ask, _token=forge, _key="a"))["text"] == "Docker"
    assert "Which database? → Docker" in [m["content"] for m in (await hq.do("memory.list"))["items"]]
    await house.beat(minutes=1)
    cards = {card["title"]: [button["label"] for button in card["buttons"]] for card in await house.cards()}
    assert cards["forge asked, and chief decided: Docker"] == ["Fine"]
    assert cards["Forge asks: Which database?"] == ["Docker", "Cloud", "Answer", "Later"]


async def test_j11_a_choice_that_nobody_below_decides_in_time_comes_to_the_founder(house):
    hq = house.hq
    await hq.do("tenant.set", risk_tolerance="cautious")
    ask = {"agent": "chief", "text": "Which database?", "options": ["Docker", "Cloud"], "timeout": 60}
    message = (await hq.call("agent.ask", **ask, _token=await hq.agent("forge"), _key="a")).data["message"]
    guessed = await hq.call("agent.reply", message=message, text="Docker", _token=await hq.agent("chief"))
    assert guessed.error["code"] == "forbidden"

    hq.clock.advance(minutes=2)
    await JobHand(hq, "mail").run_once()

    [waits] = [each for each in (await hq.do("ask.list"))["items"] if each["type"] == "question"]
    assert [option["label"] for option in waits["options"]] == ["Docker", "Cloud"]
    await hq.do("ask.answer", ask=waits["slug"], option=waits["options"][1]["key"])
    assert (await hq.do("agent.ask", **ask, _token=await hq.agent("forge"), _key="a"))["text"] == "Cloud"


async def test_l3_what_the_ceo_does_about_a_late_mission_the_founder_hears(house):
    hq, chief = house.hq, await house.hq.agent("chief")
    due = (hq.clock.now() + timedelta(hours=1)).isoformat()
    await hq.do("mission.create", title="Ode", deadline=due, _token=chief)
    await hq.do("mission.assign", ref="ode", to="forge", _token=chief)
    await hq.do("mission.accept", ref="ode")
    hq.clock.advance(hours=2)
    await JobHand(hq, "work").run_once()
    (late,) = (await hq.do("escalation.list"))["items"]

    await hq.do("escalation.resolve", ref=late["slug"], answer="Hand in what you have by ten.", _token=chief)
    await house.beat(minutes=1)

    (card,) = [card for card in await house.cards() if "ode was due" in card["title"]]
    assert card["title"].endswith("chief: Hand in what you have by ten.")
