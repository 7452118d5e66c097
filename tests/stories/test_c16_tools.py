"""C16 and X10: few tools with exact fields for every role, the rest on demand, within what was promised of tokens."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import hq
from hq.agents.files import definition
from hq.agents.files.folder import SHIPPED
from hq.agents.subagents import definition as subagent
from hq.agents.subagents import project
from hq.agents.working_set import WorkingSet, working_set
from hq.app import registry
from hq.door.tool_call import tool_call
from hq.door.toolset import by_tool, verbs_named, verbs_reached
from hq.minds.scripted.script_input import commands_of
from hq.sessions.tool_offer import ABOUT_WORK, ADDRESSED, BRIEFED, DAILY, SHOWN_TOKENS, WORKING, ToolOffer, offer_of

NAMED = re.compile(r"(?<![\w.`])[a-z]+_[a-z_]+\b(?![=(.])")
SOURCE = Path(hq.__file__).parent
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


@pytest.mark.parametrize("role", ["chief", "hire"])
def test_c16_no_word_of_the_house_names_a_tool_that_is_refused(role: str):
    """What asks, notices and refusals tell an agent to call, in whichever room they are written."""
    reach = offer(role).reach | {
        verb for name in (*BRIEFED, *ADDRESSED, *ABOUT_WORK) for verb in verbs_named(registry(), name)
    }
    refused = {
        f"{where}: {name}" for name, where in _told() if (verb := by_tool(registry(), name)) and verb.name not in reach
    }
    assert not refused


def _told() -> Iterator[tuple[str, str]]:
    """The names in sentences of the program, each with its file."""
    for room in ("asks", "messages", "missions", "ceo", "context", "org", "skills", "guard", "workspace"):
        for file in sorted((SOURCE / room).rglob("*.py")):
            nodes = list(ast.walk(ast.parse(file.read_text("utf-8"))))
            documentation = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
            for node in nodes:
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
                    for name in NAMED.findall(node.value) if " " in node.value.strip() else ():
                        yield name, f"{file.relative_to(SOURCE)}:{node.lineno}"


def _some(part: dict[str, object]) -> object:
    return ["x"] if part.get("type") == "array" else "{}"


async def test_c16_x10_what_mcp_lists_is_small(hq):
    for token in (hq.token, await hq.agent()):
        exported = (await hq.do("tools.export", format="mcp", _token=token))["tools"]

        assert len(json.dumps(exported)) // 4 <= 5_000 and exported[-1]["name"] == "hq"
