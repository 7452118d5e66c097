"""C16 and X10: few tools with exact fields for every role, the rest on demand, within what was promised of tokens."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hq.agents.files import definition
from hq.agents.files.folder import SHIPPED
from hq.agents.subagents import definition as subagent
from hq.agents.subagents import project
from hq.agents.working_set import WorkingSet, working_set
from hq.app import registry
from hq.door.tool_call import tool_call
from hq.door.toolset import verbs_named, verbs_reached
from hq.minds.scripted.script_input import commands_of
from hq.sessions.tool_offer import ADDRESSED, BRIEFED, DAILY, SHOWN_TOKENS, WORKING, ToolOffer, offer_of

Role = tuple[tuple[str, ...] | None, tuple[str, ...], dict[str, tuple[str, ...]], tuple[str, ...]]


def agent(slug: str, *named: str) -> Role:
    """What it is shown beside what briefs and messages name."""
    made, _ = definition.parse(slug, (SHIPPED / slug / "agent.md").read_text("utf-8"))
    assert made
    return made.offered, made.reads, dict(made.only), tuple(dict.fromkeys((*named, *made.daily)))


def hire(role: str) -> Role:
    job: WorkingSet = working_set(registry(), [role])
    return job.tools, (), dict(job.only), tuple(dict.fromkeys((*BRIEFED, *ADDRESSED, *job.daily)))


def helper(file: Path) -> Role:
    made, _ = subagent.parse(file.name, file.read_text("utf-8"))
    assert made
    return made.tools, made.reads, {}, made.daily


ROLES: dict[str, Role] = {
    "chief": agent("chief", *ADDRESSED),
    "operator": agent("operator", *BRIEFED, *ADDRESSED),
    "developer": hire("Developer"),
    "hire": hire("Research Analyst"),
    "without a file": (None, (), {}, DAILY),
    "worker": (None, (), {}, WORKING),
    "project": (project.TOOLS, project.READS, {}, project.DAILY),
    **{file.stem: helper(file) for file in sorted(SHIPPED.glob("*/subagents/*.md"))},
}


def offer(role: str) -> ToolOffer:
    tools, reads, only, daily = ROLES[role]
    shown = [verb for name in daily for verb in verbs_named(registry(), name)]
    assert len(shown) >= len(daily), [name for name in daily if not verbs_named(registry(), name)]
    return offer_of(registry(), verbs_reached(registry(), tools, reads, only).union(shown), dict.fromkeys(shown))


@pytest.mark.parametrize("role", ROLES)
def test_c16_x10_the_schemas_of_a_first_call_are_small_and_nothing_daily_is_left_out(role: str):
    offered = offer(role)
    wire = [{"name": t.name, "description": t.description, "input_schema": t.schema} for t in offered.shown]

    assert len(json.dumps(wire)) // 4 <= SHOWN_TOKENS
    daily = {verb for name in ROLES[role][3] for verb in verbs_named(registry(), name)}
    assert {tool.verb for tool in offered.shown} == {*daily, None}


@pytest.mark.parametrize("role", ROLES)
def test_c16_each_tool_shown_can_be_called_and_each_command_named_too(role: str):
    offered = offer(role)
    for tool in offered.shown[:-1]:
        given = {name: _some(part) for name, part in tool.schema["properties"].items()}
        assert tool_call(registry(), tool.name, given, offered.reach).verb == tool.verb
    for noun, actions in commands_of(offered.shown[-1].description).items():
        for action in actions:
            assert tool_call(registry(), "hq", {"command": f"{noun} {action} --help"}, offered.reach).args["about"]
            assert f"{noun}.{action}" in offered.reach


def _some(part: dict[str, object]) -> object:
    return ["x"] if part.get("type") == "array" else "{}"


async def test_c16_x10_what_mcp_lists_is_small(hq):
    for token in (hq.token, await hq.agent()):
        exported = (await hq.do("tools.export", format="mcp", _token=token))["tools"]

        assert len(json.dumps(exported)) // 4 <= 5_000 and exported[-1]["name"] == "hq"
