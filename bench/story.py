"""The recorded stories with a model: calls, tokens in (fresh, cached) and out, the founder's clicks, time without the model; first calls."""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvloop
from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelResponse, TextPart, ToolCallPart

from bench.calls import opened
from bench.database import Company, durable_server, found_company
from bench.measure import note
from bench.report import Result, at_least, at_most
from bench.staffing import DONE, called
from hq.agents.session_services import SessionServices
from hq.door.door import Door
from hq.engine.sessions.leases import Leases
from hq.minds.mind import MindRequest, Reply, TokenUsage
from hq.minds.policy import TierDecision
from hq.minds.tokens import estimate
from hq.sessions.reservation import NoReservation
from hq.sessions.runner import Runner

RECORDINGS = Path(__file__).parent.parent / "tests" / "stories" / "recordings"
CALLS = {"1": 15, "2": 4, "3": 2}
FRESH = {"1": 60_000}
"""Goals, by the story's number."""
FIRST, CACHED = 8_000, 0.9


@dataclass
class Cost:
    """What a story took."""

    calls: int = 0
    fresh: int = 0
    cached: int = 0
    out: int = 0
    clicks: int = 0
    wall: float = 0.0


@dataclass
class Retold:
    """A mind that answers as it was recorded, and counts as a provider does that keeps what requests begin with."""

    turns: list[dict[str, Any]]
    name: str = "retold"
    cost: Cost = field(default_factory=Cost)
    seen: list[list[str]] = field(default_factory=list)
    firsts: dict[str, int] = field(default_factory=dict)
    """Tokens of the first call, by role."""
    later: list[float] = field(default_factory=list)
    """Of each later call of a role, the share that was kept."""

    async def answer(self, ask: MindRequest, *, on_text: Any = None) -> Reply:
        self._count(ask)
        turn: dict[str, Any] = self.turns.pop(0) if self.turns and "chief" in _role(ask) else {"text": DONE}
        parts: list[Any] = [TextPart(turn["text"])] if turn.get("text") else []
        parts += [
            ToolCallPart(call["tool"], call["args"], tool_call_id=f"call-{len(self.seen)}-{n}")
            for n, call in enumerate(turn.get("calls", ()))
        ]
        ended: Any = turn.get("ended") or ("tool_call" if turn.get("calls") else "stop")
        self.cost.out += estimate(json.dumps(turn.get("calls", ""))) + estimate(turn.get("text", ""))
        return Reply(ModelResponse(parts=parts, finish_reason=ended), self.name, TokenUsage(100, 10), None, 0.0)

    def _count(self, ask: MindRequest) -> None:
        tools = [json.dumps([each.name, each.description, each.parameters_json_schema]) for each in ask.tools]
        dumped = ModelMessagesTypeAdapter.dump_python(list(ask.messages), mode="json")
        said = [json.dumps(_words(part)) for message in dumped for part in message["parts"]]
        blocks = [*tools, ask.instructions, *said]
        kept = max((_common(blocks, before) for before in self.seen), default=0)
        cached, all_ = sum(map(estimate, blocks[:kept])), sum(map(estimate, blocks)) + estimate(ask.now)
        self.seen.append(blocks)
        self.cost.calls += 1
        self.cost.cached += cached
        self.cost.fresh += all_ - cached
        role = _role(ask)
        if role in self.firsts:
            self.later.append(cached / all_)
        self.firsts.setdefault(role, all_)


def _words(part: dict[str, Any]) -> list[Any]:
    return [part["part_kind"], part.get("content"), part.get("tool_name"), part.get("args")]


def _common(blocks: Sequence[str], before: Sequence[str]) -> int:
    return next(
        (n for n, (a, b) in enumerate(zip(blocks, before, strict=False)) if a != b), min(len(blocks), len(before))
    )


def _role(ask: MindRequest) -> str:
    name = ask.instructions.partition("You are **")[2].partition("**")[0]
    return f"{name}, {ask.purpose}"


class Told(SessionServices):
    """The shipped agents as they are; only who answers is ours, for nothing."""

    answering: Retold

    async def tier(self, claimed: Any, config: Any) -> TierDecision:
        return TierDecision("default", "a benchmark")

    async def route(self, claimed: Any, said: str) -> None:
        return None

    async def mind(self, claimed: Any, ask: MindRequest) -> Retold:
        return self.answering

    async def budget(self, claimed: Any, ask: MindRequest, config: Any) -> NoReservation:
        return NoReservation()


def add_options(parser: argparse.ArgumentParser) -> None:
    return None


def run(options: argparse.Namespace) -> list[Result]:
    results: list[Result] = []
    with durable_server() as server, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        for file in sorted(RECORDINGS.glob("*.json")):
            recorded = json.loads(file.read_text("utf-8"))
            if "story" in recorded:
                continue  # with other agents' answers, files and hours that pass: the tests replay those
            note(file.stem)
            company = found_company(server, f"story-{file.stem}")
            results += runner.run(_retell(company, recorded))
    return results


async def _retell(company: Company, recorded: dict[str, Any]) -> list[Result]:
    turns = recorded["sessions"][0]["turns"]
    mind = Retold([turn for turn in turns if "said" not in turn])
    stories: dict[str, Cost] = {}
    async with opened(company) as door:
        services = Told(door, None)  # type: ignore[arg-type]
        services.answering = mind
        runner = Runner(services, company.address.app_url, Leases(door.pool, door.clock))
        await called(door, company, "agent.load")
        for turn in turns:
            if "said" not in turn:
                continue
            mind.cost = stories.setdefault(turn["story"], Cost())
            mind.cost.clicks += turn.get("clicks", 0)
            began = time.perf_counter()
            await called(door, company, "chat.say", agent="chief", text=turn["said"])
            await _work(runner)
            mind.cost.wall += time.perf_counter() - began
        mind.cost = Cost()
        await _others(door, company)
        await _work(runner)
    return [
        *(result for name, cost in sorted(stories.items()) for result in _told(name, cost)),
        *(at_most(FIRST, what=f"first call: {role}", value=tokens, unit="tokens") for role, tokens in mind.firsts.items()),
        at_least(CACHED, what="kept by the provider, later calls (least)", value=min(mind.later), unit="of a call"),
    ]  # fmt: skip


async def _others(door: Door, company: Company) -> None:
    """One of each of the other roles begins."""
    await called(door, company, "agent.create", name="forge", role="Developer")
    await called(door, company, "mission.create", title="Flight tracker", deliverables=["file:app.py"])
    await called(door, company, "mission.assign", ref="flight-tracker", to="forge")
    await called(door, company, "agent.send", agent="operator", text="Look after the house.")


async def _work(runner: Runner) -> None:
    while await runner.run_once():
        pass


def _told(name: str, cost: Cost) -> list[Result]:
    story, number = f"story {name}", name.partition(",")[0]
    calls, fresh = CALLS.get(number), FRESH.get(number)
    counted = {"what": f"{story}: model calls", "value": cost.calls, "unit": "calls"}
    read = {"what": f"{story}: tokens in, fresh", "value": cost.fresh, "unit": "tokens"}
    return [
        at_most(calls, **counted) if calls else Result(**counted),
        at_most(fresh, **read) if fresh else Result(**read),
        Result(what=f"{story}: tokens in, cached", value=cost.cached, unit="tokens"),
        Result(what=f"{story}: tokens out", value=cost.out, unit="tokens"),
        Result(what=f"{story}: founder's clicks", value=cost.clicks, unit="clicks"),
        Result(what=f"{story}: without the model", value=cost.wall * 1000, unit="ms"),
    ]
