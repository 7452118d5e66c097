"""A day of work with scripted minds: a mission is planned, a part is delegated, asked about, delivered and rolled up."""

from __future__ import annotations

import json
from typing import Any

from pydantic_ai.messages import ModelResponse

from tests.support.firm import DONE, tool
from tests.support.passable import needs_sandbox
from tests.support.play import Told

PART = "compare-chart-libraries"


class Cast(Told):
    """Each agent says its lines for what woke it, in order; what woke it is in the first message."""

    def __init__(self, lines: dict[tuple[str, str], list[Any]]) -> None:
        super().__init__(lambda ask: self._line(ask, lines))

    @staticmethod
    def _line(ask, lines):
        first = str(ask.messages[0].parts[0].content)
        said = next(value for (agent, about), value in lines.items() if f"agent:{agent} " in first and about in first)
        turn = sum(isinstance(message, ModelResponse) for message in ask.messages)
        return said[min(turn, len(said) - 1)]


@needs_sandbox
async def test_a_mission_is_delegated_escalated_delivered_and_closed_by_evidence(own_firm, own_hq, shift):
    hq, firm = own_hq, own_firm
    mission = await firm.mission("Build the web app", token_budget=10_000, deliverables=["command:true"])
    terms = {"delegation": "pre_approved", "collaborators": ["scout"], "delegation_budget": 5000}
    await hq.do("mission.assign", ref=mission, to="forge", **terms)
    help_ = {"title": "Compare chart libraries", "description": "Research three.", "to": "scout", "reason": "to choose"}
    mind = Cast(
        {
            ("forge", "MISSION BRIEF (build-the-web-app)"): [
                tool("mission", "accept", ref=mission),
                tool("mission", "plan", ref=mission, steps=["Choose", "Build", "Test"]),
                tool("mission", "delegate", ref=mission, tokens=2000, **help_),
                tool("mission", "wait", missions=[PART]),
                tool("mission", "sign_off", ref=PART),
                tool("mission", "submit", ref=mission, outcome="It draws.", lessons="uPlot is small."),
                DONE,
            ],
            ("scout", f"MISSION BRIEF ({PART})"): [
                tool("mission", "accept", ref=PART),
                tool("escalation", "raise", mission=PART, summary="Open source only?", confidence=0.4),
                tool("mission", "note", ref=PART, content="uPlot is 40 KB.", kind="finding"),
                tool("mission", "submit", ref=PART, outcome="uPlot."),
                DONE,
            ],
        }
    )

    await shift.run(mind)
    (raised,) = (await hq.do("escalation.list"))["items"]
    assert raised["status"] == "open" and await firm.status(PART) == "in_progress"
    await hq.do("escalation.resolve", ref=raised["slug"], answer="Yes, MIT or Apache.")
    await shift.run(mind)

    tree = await hq.do("mission.tree", ref=mission)
    assert tree["states"] == {"done": 2}, json.dumps(tree, indent=1)
    assert {row["state"] for agent in ("forge", "scout") for row in await firm.sessions(agent)} == {"done"}
    (delegation,) = (await hq.do("delegation.list"))["items"]
    assert delegation["status"] == "done"
    kinds = [row["kind"] for row in (await hq.do("mission_memory.list", mission=PART))["items"]]
    assert sorted(kinds) == ["decision", "finding"]
    assert [row["status"] for row in (await hq.do("brief.list"))["items"]] == ["done", "done"]
