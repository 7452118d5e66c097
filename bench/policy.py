"""CPU that choosing a tier takes, and that an answer of the scripted mind takes."""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from bench.measure import median, percentile
from bench.report import Result, at_most
from hq.app import registry
from hq.door.toolset import all_tools
from hq.minds.policy import PolicyTurn, decide, declared_triggers

MAIL = {"topic": "email.received", "payload": {"subject": "Tuesday", "from": "ana@example.com"}}
SAID = "Hello, I looked at what you sent and Tuesday would work, but could we talk about the price again? " * 8
INSTRUCTIONS = "You are chief. " + "Be brief and honest. " * 3000 + 'End with <task-complete reason="..."/>. '
NOUNS = ("task", "project", "fact", "graph", "approval", "contact", "memo", "entity", "document", "decision")
TALKS = (
    "add a task to call customer {} tomorrow",
    "what is open?",
    "mark task {} done",
    "status of task {}",
    "what's going on?",
)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--turns", type=int, default=400, help="how many turns are decided and answered (default: 400)")


def run(options: argparse.Namespace) -> list[Result]:
    own = declared_triggers(["morning_brief", "churn|renewal", {"where": {"payload.vip": True}}])
    chosen = [
        _cpu(partial(decide, PolicyTurn(f"{SAID} {n}", [MAIL] * 10), own, pressure=0.5)) for n in range(options.turns)
    ]
    answered = asyncio.run(_answers(options.turns))
    return [
        at_most(5, what="choosing a tier, p50", value=median(chosen), unit="ms CPU"),
        at_most(5, what="choosing a tier, p95", value=percentile(chosen, 0.95), unit="ms CPU"),
        at_most(0.3, what="a scripted answer, p50", value=median(answered), unit="ms CPU"),
        Result(what="a scripted answer, p95", value=percentile(answered, 0.95), unit="ms CPU"),
    ]


def _cpu(work: Callable[[], Any]) -> float:
    started = time.thread_time()
    work()
    return (time.thread_time() - started) * 1000


async def _answers(turns: int) -> list[float]:
    """Whole conversations with ten tools and long instructions, each with words not heard before."""
    from pydantic_ai.messages import ModelMessage, ModelRequest, ToolCallPart, ToolReturnPart
    from pydantic_ai.tools import ToolDefinition

    from hq.minds.mind import MindRequest
    from hq.minds.scripted.mind import shipped

    shown = [tool for tool in all_tools(registry()) if str(tool.verb).partition(".")[0] in NOUNS]
    tools = [ToolDefinition(name=tool.name, parameters_json_schema=tool.schema) for tool in shown]
    rows = [{"slug": f"task-{n}", "title": f"Task {n}", "status": "todo", "due": None} for n in range(30)]
    spent: list[float] = []
    for turn in range(-5, turns):
        talk: list[ModelMessage] = [ModelRequest.user_text_prompt(TALKS[turn % len(TALKS)].format(turn % 30))]
        while True:
            started = time.thread_time()
            reply = await shipped().answer(
                MindRequest(talk, tools, f"{INSTRUCTIONS} Now: 2026-01-01T10:{turn % 60:02}:00Z")
            )
            spent.append((time.thread_time() - started) * 1000)
            calls = [part for part in reply.response.parts if isinstance(part, ToolCallPart)]
            if not calls:
                break
            back = {"ok": True, "data": {"items": rows, "slug": "task-1", "title": "Task 1", "type": "task"}}
            talk += [
                reply.response,
                ModelRequest(parts=[ToolReturnPart(c.tool_name, back, c.tool_call_id) for c in calls]),
            ]
    return spent[10:]  # the first ones read and compile the scripts
