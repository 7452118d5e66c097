"""Wishes in everyday words, without a model: from the sentence to the mission, and from its brief to what is built."""

from __future__ import annotations

import re

import pytest
from pydantic_ai.messages import ModelMessage, ModelRequest, ToolCallPart, ToolReturnPart, UserPromptPart
from pydantic_ai.tools import ToolDefinition

from hq.minds.mind import MindRequest, Reply
from hq.minds.scripted.app_files import unmet
from hq.minds.scripted.mind import shipped
from hq.missions.briefs.prompt import Addressee, render
from hq.missions.types import Brief

OFFERED = {
    "mission": "create assign list accept submit decline fail revise show", "agent": "hire list", "cost": "show",
    "task": "create list update complete assign", "project": "create list", "memory": "search add list",
    "fact": "assert get list", "graph": "search describe", "shell": "run", "code": "execute",
    "escalation": "raise resolve pass_on list", "schedule": "add list remove", "skill": "run", "worker": "list",
}  # fmt: skip
FIELDS: dict[str, object] = {
    name: {}
    for name in (
        "title", "description", "deliverables", "ref", "to", "name", "query", "subject", "value", "prompt", "summary",
        "command", "content", "file_path", "task", "when", "skill",
    )
}  # fmt: skip
CODER = "Read Write Edit Bash Grep"
DECIDED = {"slug": "asked", "resolution": "From a list"}


def tools(offered: dict[str, str]) -> list[ToolDefinition]:
    return [
        ToolDefinition(name=f"{noun}_{action}", parameters_json_schema={"properties": FIELDS})
        for noun, actions in offered.items()
        for action in actions.split()
    ]


def coder() -> list[ToolDefinition]:
    return [ToolDefinition(name=name, parameters_json_schema={"properties": FIELDS}) for name in CODER.split()]


def calls_of(reply: Reply) -> list[ToolCallPart]:
    return [part for part in reply.response.parts if isinstance(part, ToolCallPart)]


async def answer(text: str, offered: dict[str, str] = OFFERED) -> Reply:
    return await shipped().answer(MindRequest([ModelRequest(parts=[UserPromptPart(text)])], tools(offered)))


async def first_call(text: str, tool: str, **results: object) -> ToolCallPart:
    """The first call of this tool that comes of what is said; the others before it bring these results."""
    talk: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart(text)])]
    for _ in range(8):
        reply = await shipped().answer(MindRequest(talk, tools(OFFERED)))
        calls = calls_of(reply)
        assert calls, f"{text!r} ends with {reply.response.text!r}"
        if found := next((call for call in calls if call.tool_name == tool), None):
            return found
        came = [ToolReturnPart(c.tool_name, results.get(c.tool_name, {"items": []}), c.tool_call_id) for c in calls]
        talk += [reply.response, ModelRequest(parts=came)]
    raise AssertionError(f"{tool} is never called")


async def examples(word: str) -> list[str]:
    """The sentences that help proposes."""
    text = (await answer(word)).response.text or ""
    return [each.strip() for line in re.findall(r"^- (.+)$", text, re.MULTILINE) for each in line.split("·")]


@pytest.mark.parametrize("word", ["help", "ajuda"])
async def test_every_sentence_that_help_proposes_is_understood(word: str):
    proposed = await examples(word)
    assert len(proposed) > 10
    for sentence in proposed:
        assert not (await answer(sentence)).model.startswith("script:unknown"), sentence


async def built_of(wish: str) -> str:
    """The name of the script with which the coder answers what comes of a wish."""
    made = (await first_call(wish, "mission_create")).args_as_dict()
    brief = Brief(
        objective=f"{made['title']}\n{made['description']}", context="Asked for.", deliverables=made["deliverables"]
    )
    told = render(brief, "the-mission", Addressee("Forge", "developer", "Acme", "chief", "chief", "the-workspace"))
    built = await first_call(told, "code_execute", escalation_raise=DECIDED)
    prompt = ModelRequest(parts=[UserPromptPart(built.args_as_dict()["prompt"])])
    return (await shipped().answer(MindRequest([prompt], coder()))).model


@pytest.mark.parametrize(
    ("wish", "script"),
    [
        ("I need a web app that tracks my training hours", "tracker"),
        ("I need a web app that tracks my running hours.", "tracker"),
        ("I need a web app that tracks my training hours and costs.", "tracker"),
        (
            "I need a web app that tracks my flight hours and landings for each of my many students in the club",
            "tracker",
        ),
        ("Build me a flight tracker", "tracker"),
        ("I need a log of my training hours", "tracker"),
        ("preciso de uma aplicação web que registe as minhas horas", "tracker"),
        ("I need a guest book for my bakery", "web-app"),
        ("I want a guest book", "web-app"),
        ("build me a guest book", "web-app"),
        ("I need a web app that keeps a guest book", "web-app"),
        ("I need a website for my bakery", "page"),
        ("Make me a landing page for my flying school.", "page"),
    ],
)
async def test_what_scripts_can_build_is_built(wish: str, script: str):
    assert await built_of(wish) == f"script:coding.{script}"


@pytest.mark.parametrize("wish", ["Build me a chess game", "I need a web app that plays chess with me"])
async def test_what_they_cannot_build_is_not_taken_for_something_else(wish: str):
    assert await built_of(wish) == "script:unknown.anything"


async def test_what_is_logged_is_its_name():
    wish = "I need a web app that tracks my training hours"
    prompt = f"Build this: {wish}\n\nDecided: the kinds of an entry are chosen so: From a list"
    reply = await shipped().answer(MindRequest([ModelRequest(parts=[UserPromptPart(prompt)])], coder()))
    assert 'TITLE = "Training hours"' in calls_of(reply)[0].args_as_dict()["content"]


SETTINGS = 'TITLE = "Log"\nCOLOUR = "#1d4ed8"\nSORT = "newest"\nKINDS = ("Work",)\nEXTRA = ()\nSIGN_IN = False\n'


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ("Make it green", []),
        ("Make it green and sort by cost. Everything else stays as it is. Thanks!", []),
        ("Make it green and draw a chart of the costs", ["draw a chart of the costs"]),
        (
            "Call it “Logbook”, add a field for weather, and send me an e-mail each week",
            ["send me an e-mail each week"],
        ),
        ("Make it green with a chart", ["Make it green with a chart"]),
        ("Rewrite all of it in Rust", ["Rewrite all of it in Rust"]),
        ("Make it blue", []),
    ],
)
def test_what_a_change_leaves_undone_is_told_in_its_own_words(words: str, left: list[str]):
    assert unmet(SETTINGS, words) == left
