"""Briefs: eight steps that can each be looked at, and a prompt that is pinned word for word."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from hq.missions.briefs.prompt import Addressee, render
from hq.missions.types import Brief, Constraints

GOLDEN = Path(__file__).parent / "golden"
FULL = Brief(
    objective="Flight tracker\nA web app for flight hours and expenses.",
    context="It serves the objective: fly more.\nDashboard, login, CRUD.",
    constraints=Constraints(
        token_budget=200_000,
        cost_limit=5,
        deadline=datetime(2027, 1, 31, tzinfo=UTC),
        quality_notes="good enough to show a friend",
        other=["works on a phone"],
    ),
    deliverables=["file:README.md", "command:npm test"],
    tools_approved=["hq_workspace"],
    agents_approved=["scout"],
    delegation_rules="pre_approved",
    delegation_budget=5000,
    org_context="- The founder is a pilot.",
    prior_work="- Before: Logbook: a spreadsheet. Learned: sum in UTC.",
    founder_prefs="- React and TypeScript.",
)
BARE = Brief(objective="Look at the logs", context="")
SOLO = Brief(objective="Look at the logs", context="", delegation_rules="pre_approved")
TO = Addressee(
    name="FORGE",
    role="Developer",
    organisation="Acme",
    ceo="chief",
    commander="chief",
    workspace="flight-tracker-files",
    skills=["- Server health: looks after servers"],
    collaborators=["- SCOUT (Analyst): researches\n  To request their help: mission_delegate, to scout."],
)
ALONE = Addressee(name="echo", role="Analyst", organisation="Acme", ceo="chief", commander="FORGE")


@pytest.mark.parametrize(("name", "brief", "to"), [("full", FULL, TO), ("bare", BARE, ALONE), ("solo", SOLO, ALONE)])
def test_the_prompt_is_the_pinned_one(name, brief, to):
    assert render(brief, "flight-tracker", to) + "\n" == (GOLDEN / f"{name}.txt").read_text()


async def test_explain_shows_who_was_considered_and_why_one_won(firm, hq):
    await firm.hire(name="idle", role="Accountant")
    await hq.do("agent.pause", agent="idle")
    mission = await firm.mission("Compare chart libraries", description="Research three libraries and their prices.")

    shown = await hq.do("mission.brief", ref=mission, explain=True)

    assert shown["agent"] == "scout" and [step["step"] for step in shown["steps"]] == list(range(1, 9))
    chosen = shown["steps"][1]["found"]
    assert chosen["why"].startswith("scores best")
    scout, forge, idle = chosen["considered"]
    assert {"compare", "libraries", "research"} <= set(scout["skills"]) and scout["score"] > forge["score"]
    assert (idle["agent"], idle["why"]) == ("idle", "is paused")
    risks = {row["what"]: row["decision"] for row in shown["steps"][6]["found"]}
    assert risks["give the mission out"] == "do it"
    assert risks["send something that cannot be taken back"] == "ask the founder first"


async def test_load_decides_between_equals_and_thrift_gives_way_to_strength(firm, hq):
    await firm.hire(name="forge-two", role="Developer", description="Writes web apps in React, with tests.")
    await firm.at_work("Another web app", to="forge")
    mission = await firm.mission("A React web app")
    assert (await hq.do("mission.brief", ref=mission))["agent"] == "forge-two"

    await firm.hire(name="smith", role="Developer", description="Writes web apps in React.", cost_tier="high")
    assert (await hq.do("mission.brief", ref=mission))["agent"] == "forge-two"
    await hq.do("mission.update", ref=mission, priority="critical")
    assert (await hq.do("mission.brief", ref=mission))["agent"] == "smith"


async def test_where_nobody_can_do_it_a_hire_is_recommended_and_nothing_is_assigned(firm, hq):
    mission = await firm.mission("Negotiate the lease")

    shown = await hq.do("mission.brief", ref=mission)
    assert "agent" not in shown and "hire" in shown["why"]
    refused = await hq.call("mission.assign", ref=mission)
    assert refused.error["code"] == "conflict" and await firm.status(mission) == "backlog"


async def test_memories_preferences_and_prior_missions_are_searched_and_explained(firm, hq):
    await hq.do("mission.create", title="unrelated")
    done = await firm.at_work("React logbook", description="A React app for a pilot's logbook.")
    await hq.do("mission.submit", ref=done, outcome="Works", lessons="Pilots log hours of a React app in UTC.")
    await hq.do("mission.sign_off", ref=done)
    await firm.index()
    mission = await firm.mission("React tracker", description="A React app that tracks a pilot's hours.")
    await firm.index()

    steps = (await hq.do("mission.brief", ref=mission, to="forge", explain=True))["steps"]

    (memory,) = steps[2]["found"]
    assert "UTC" in memory["text"] and memory["why"]
    (prior,) = steps[4]["found"]
    assert prior["slug"] == done and "Learned: Pilots log hours" in prior["text"]
    assert "Pilots log hours" in steps[7]["found"] and "Before: React logbook" in steps[7]["found"]


async def test_work_that_has_nothing_to_do_with_a_mission_is_not_told(firm, hq):
    done = await firm.at_work(
        "Flight tracker web app", description="Log flights, see them in a list with totals; they survive a restart."
    )
    await hq.do(
        "mission.submit", ref=done, outcome="Flights are logged with date, from, to; newest first. 4 tests pass."
    )
    await hq.do("mission.sign_off", ref=done)
    await firm.index()
    mission = await firm.mission(
        "Lisbon packing list",
        description="For the founder's visit in Lisbon, three nights. A list to tick off, one page.",
    )
    await firm.index()

    assert (await hq.do("mission.brief", ref=mission, to="forge", explain=True))["steps"][4]["found"] == []


async def test_looking_at_a_brief_changes_nothing(firm, hq):
    mission = await firm.mission()

    await hq.do("mission.brief", ref=mission, explain=True)

    assert await firm.status(mission) == "backlog" and (await hq.do("brief.list"))["items"] == []


async def test_a_mission_that_may_cost_much_is_not_given_out_by_an_agent_alone(firm, hq):
    await hq.do("budget.set", on="company", usd_hard=10)
    chief = await hq.do("agent.create", name="boss", role="Chief", kind="ceo")
    token = await firm.token(chief["slug"])
    cheap, dear = await firm.mission("React one", cost_limit=0.5), await firm.mission("React two", cost_limit=5)

    assert (await hq.call("mission.assign", ref=cheap, to="forge", _token=token)).ok
    asked = await hq.call("mission.assign", ref=dear, to="forge", _token=token)

    assert asked.error["code"] == "waiting" and await firm.status(dear) == "backlog"
