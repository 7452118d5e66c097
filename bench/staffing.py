"""Agents whose mind answers at once with so many tool calls and then is done: what is left is what hq costs."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, UserPromptPart

from bench.calls import SHOWN
from bench.database import Company
from hq.agents.session_services import SessionServices
from hq.door.door import Door
from hq.door.tx import Call
from hq.engine.sessions.leases import Leases
from hq.minds.mind import MindRequest, Reply, TokenUsage
from hq.minds.policy import TierDecision
from hq.sessions.config import AgentConfig
from hq.sessions.reservation import NoReservation
from hq.sessions.runner import Runner

DONE = '<task-complete reason="done"/>'


class Quick:
    name = "quick"

    def __init__(self, calls: int) -> None:
        self.calls = calls
        self.asked: dict[str, float] = {}
        """When the first instruction of each session reached a mind, by what was said."""

    async def answer(self, ask: MindRequest, *, on_text: Any = None) -> Reply:
        turn = sum(isinstance(message, ModelResponse) for message in ask.messages)
        if turn == 0:
            first = ask.messages[0].parts[0]
            assert isinstance(first, UserPromptPart)
            said = str(first.content).partition("<message>")[2].partition("<")[0]
            self.asked.setdefault(said, time.perf_counter())
        return Reply(ModelResponse(parts=[turn_of(turn, self.calls)]), self.name, TokenUsage(100, 10), None, 0.0)


def turn_of(turn: int, calls: int) -> TextPart | ToolCallPart:
    if turn >= calls:
        return TextPart(content=DONE)
    # Each looks at something else: the same call over and over would be a loop, and be broken.
    args = {"ref": SHOWN if turn % 2 else f"{SHOWN}-{turn}"}
    return ToolCallPart(tool_name="task_show", args=args, tool_call_id=f"call-{turn}")


class House(SessionServices):
    def __init__(self, door: Door, mind: Quick) -> None:
        super().__init__(door, None)  # type: ignore[arg-type]
        self.answering = mind

    async def config(self, claimed: Any) -> AgentConfig:
        return AgentConfig(claimed.agent, "You are a benchmark.", tools=("task",), remembers=False)

    async def tier(self, claimed: Any, config: AgentConfig) -> TierDecision:
        return TierDecision("default", "a benchmark")

    async def mind(self, claimed: Any, ask: MindRequest) -> Quick:
        return self.answering

    async def budget(self, claimed: Any, ask: MindRequest, config: AgentConfig) -> NoReservation:
        return NoReservation()


def runner_on(door: Door, company: Company, mind: Quick, room: int) -> Runner:
    return Runner(House(door, mind), company.address.app_url, Leases(door.pool, door.clock), room=room)


async def furnish(door: Door, company: Company) -> None:
    """An agent, and something for it to look at."""
    await called(door, company, "agent.create", name="scout", role="Scout")
    for slug in (SHOWN, *(f"{SHOWN}-{n}" for n in range(10))):
        await called(door, company, "task.create", title=slug, slug=slug)


async def queue(door: Door, company: Company, count: int) -> None:
    """So many sessions, to be run."""
    for first in range(0, count, 16):
        some = range(first, min(first + 16, count))
        await asyncio.gather(*(called(door, company, "agent.send", agent="scout", text=f"run {n}") for n in some))


async def called(door: Door, company: Company, verb: str, **args: Any) -> Any:
    outcome = await door.call(Call(verb, args, company.token))
    if not outcome.ok:
        raise SystemExit(f"{verb}: {outcome.error}")
    return outcome.data
