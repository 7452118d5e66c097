"""X10: what a first call costs, what of it is kept, and that nothing is named that is not there."""

from __future__ import annotations

import ast
import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

import hq as hq_package
from hq.agents.files.definition import parse
from hq.agents.files.folder import SHIPPED
from hq.agents.files.shipment import HIRED
from hq.door.borders import covers
from hq.door.toolset import all_tools, by_tool
from hq.minds.tokens import estimate
from tests.stories.wire import blocks, kept, sent, tokens
from tests.support.play import Told, house  # noqa: F401
from tests.support.story_worker import worker

SYSTEM = {"chief": 1_900, "operator": 1_500, "forge": 1_300}
"""Tokens of the system text, by role."""
CONTEXT = 700
"""Tokens of everything else that is no tool, in a young company."""
SCHEMAS = 3_000
"""Tokens of the tools, as they go over the wire."""
WHOLE = 6_500
"""Tokens of the whole first call over the wire, tools included."""


async def asked(house, agent: str, *lines: object) -> Told:  # noqa: F811
    """What the mind of an agent is asked with, in a company where somebody was hired and something is done."""
    hq = house.hq
    await hq.do("org.create", template="software-team")
    await hq.do(
        "agent.hire", name="Forge", title="Builder", role="developer", org="Development", about="Builds web apps."
    )
    mind = Told(list(lines) or ['Done. <task-complete reason="done" memory_entry_count="0"/>'])
    if agent == "forge":
        await hq.do("mission.create", title="Flight tracker", deliverables=["file:index.html"])
        await hq.do("mission.assign", ref="flight-tracker", to="forge")
    else:
        await hq.do("chat.say", agent=agent, text="Build me a flight tracker.")
    await worker(house, mind).run_once()
    return mind


@pytest.mark.parametrize("agent", SYSTEM)
async def test_x10_the_first_call_of_each_role_keeps_to_its_tokens(house, agent):  # noqa: F811
    ask = (await asked(house, agent)).asked[0]

    rest = "\n".join(str(part.content) for message in ask.messages for part in message.parts) + ask.now
    assert estimate(ask.instructions) <= SYSTEM[agent], estimate(ask.instructions)
    assert estimate(rest) <= CONTEXT, rest
    assert ask.now.startswith("<company-now>") and "(none)" not in rest
    [body] = await sent([ask], house.hq.clock)
    assert tokens(body) <= WHOLE, tokens(body)


@pytest.mark.parametrize("wire", ["anthropic", "openai-chat"])
@pytest.mark.parametrize("agent", SYSTEM)
async def test_x10_the_schemas_of_each_role_keep_to_three_thousand_tokens_on_both_wires(house, agent, wire):  # noqa: F811
    [body] = await sent((await asked(house, agent)).asked[:1], house.hq.clock, wire)

    assert len(json.dumps(body["tools"], separators=(",", ":"), ensure_ascii=False)) / 4 <= SCHEMAS, (
        len(json.dumps(body["tools"], separators=(",", ":"))) / 4
    )


async def test_x10_a_field_of_which_results_speak_is_offered(house):  # noqa: F811
    """Of a run that was broken off its result says that `resume` goes on with it."""
    [code] = [tool for tool in (await asked(house, "forge")).asked[0].tools if tool.name == "code_execute"]

    assert "resume" in code.parameters_json_schema["properties"]


@pytest.mark.parametrize("wire", ["anthropic", "openai-chat"])
async def test_x10_m5_two_requests_in_a_row_begin_the_same_to_the_byte(house, wire):  # noqa: F811
    look = ("task_list", {"status": "open", "limit": 5})
    mind = await asked(house, "chief", look, "Nobody yet.", "Hello.", look, "Well.")
    await house.hq.do("mission.create", title="Something that changes how things stand")
    for text in ("hi", "and now?"):  # each after a rest: what was said is read back from the journal
        await house.hq.do("chat.say", agent="chief", text=text)
        await worker(house, mind).run_once()

    bodies = await sent(mind.asked, house.hq.clock, wire)

    assert len(bodies) == 5
    for before, after in pairwise(bodies):
        if wire == "anthropic":
            assert kept(before, after) == 1.0
        first, then = [text for text, _ in blocks(before)], [text for text, _ in blocks(after)]
        assert then[: len(first) - 1] == first[:-1]  # all but company now
        assert "company-now" in first[-1] and not any("company-now>" in text for text in then[len(first) - 1 : -1])
        assert before.get("tools") == after.get("tools") or wire == "anthropic"


async def test_x10_m6_a_quick_answer_has_the_same_tools_as_any_other(house):  # noqa: F811
    mind = await asked(house, "chief", "Hello.")

    [body] = await sent(mind.asked, house.hq.clock)
    assert body["tools"] and body["tools"][-1].get("cache_control")
    assert json.dumps(body["system"]).count("cache_control") == 1


NAMED = re.compile(r"`([a-z]+(?:_[a-z]+)+)`")


def texts_of(role: str) -> str:
    shared = [*(SHIPPED / "_shared").glob("*.md")]
    own = (
        [HIRED]
        if role == "hired"
        else [SHIPPED / role / name for name in ("CLAUDE.md", "playbook.md", "personality.md")]
    )
    return "\n".join(path.read_text() for path in [*shared, *own])


@pytest.mark.parametrize(("role", "agent"), [("chief", "chief"), ("operator", "operator"), ("hired", "forge")])
async def test_x10_m10_what_a_text_names_its_agent_has(house, role, agent):  # noqa: F811
    await asked(house, agent)
    reach = set((await house.hq.do("context.show", agent=agent))["reaches"])

    named = set(NAMED.findall(texts_of(role))) - {"cross_scope_violation"}
    assert named and named <= reach, named - reach


@pytest.mark.parametrize("agent", ["chief", "operator"])
async def test_x10_m10_what_an_agent_is_shown_is_no_others_by_their_files(house, agent):  # noqa: F811
    registry = house.hq.door.registry
    files = {name: parse(name, (SHIPPED / name / "agent.md").read_text())[0] for name in ("chief", "operator")}
    own, other = files[agent], files["operator" if agent == "chief" else "chief"]
    shown = [by_tool(registry, tool.name) for tool in (await asked(house, agent)).asked[0].tools]
    named = [by_tool(registry, name) for name in NAMED.findall(texts_of(agent))]

    def covered(patterns, verb) -> bool:
        return any(covers(pattern, verb.name, verb.kind) for pattern in patterns)

    beyond = {
        verb.name
        for verb in [*shown, *named]
        if verb and verb.changes and not covered(own.owns, verb)
        and (covered(other.owns, verb) or covered(own.never, verb))
    }  # fmt: skip
    assert beyond == set()


SENTENCE = re.compile(r"^(?!.*\b(?:select|from ops)\b).* ", re.S)
"""Words for somebody, and no SQL."""
SPOKEN = ("missions", "messages", "context", "sessions", "agents", "coding", "skills", "asks", "ceo")
"""Rooms whose sentences reach a mind: briefs, news of missions, letters, hints."""


def said(folder: Path) -> set[str]:
    """Names in the sentences of a room's code; docstrings are for who reads the code."""
    found: set[str] = set()
    for path in sorted(folder.rglob("*.py")):
        tree = ast.parse(path.read_text())
        texts = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in texts:
                found |= (
                    set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", node.value)) if SENTENCE.search(node.value) else set()
                )
    return found


async def test_x10_m10_what_briefs_letters_and_hints_name_is_there_and_somebody_has_it(house):  # noqa: F811
    hq, house_root = house.hq, Path(hq_package.__file__).parent
    tools = {tool.name for tool in all_tools(hq.door.registry)}
    nouns = {verb.noun for verb in hq.door.registry}
    reach: set[str] = set()
    for agent in ("chief", "operator", "forge"):
        if agent == "forge":
            await hq.do("agent.hire", name="Forge", title="Builder", role="developer")
        reach |= set((await hq.do("context.show", agent=agent))["reaches"])

    named = set().union(*(said(house_root / room) for room in SPOKEN))
    calls = {
        name for name in named if name.partition("_")[0] in nouns & {"mission", "escalation", "ask", "agent", "code"}
    }
    calls -= {"ask_stale", "ask_waits", "mission_is"}  # a trigger, and functions of the database
    assert len(calls) >= 10 and calls <= tools, calls - tools
    assert calls <= reach, calls - reach


def test_x10_no_text_of_one_role_stands_in_another_s():
    def sentences(path: Path) -> set[str]:
        return {part.strip() for part in re.split(r"[.\n]", path.read_text()) if len(part.strip()) > 30}

    own = {role: SHIPPED / role for role in ("chief", "operator")}
    told = ("CLAUDE.md", "playbook.md", "personality.md")
    found = {role: set().union(*(sentences(folder / name) for name in told)) for role, folder in own.items()}
    found["hired"] = sentences(HIRED)
    found["shared"] = set().union(*map(sentences, (SHIPPED / "_shared").glob("*.md")))
    for name, texts in found.items():
        assert not texts & set().union(*(other for key, other in found.items() if key != name))
    everybody = (SHIPPED / "_shared" / "CLAUDE.md").read_text()
    assert "chief" not in everybody and "operator" not in everybody and "one of two agents" not in everybody


@pytest.mark.parametrize("agent", SYSTEM)
async def test_x10_only_what_a_conversation_begins_with_is_kept_for_longer(house, agent):  # noqa: F811
    """A founder pauses; a session of work does not, and would pay twice for keeping what it never reads again."""
    ask = (await asked(house, agent)).asked[0]

    assert ask.lasting is (agent != "forge")
