"""A question from one agent to another and its answer, both warm; and ten thousand messages routed by address."""

from __future__ import annotations

import argparse
import asyncio
import time
from typing import Any

import psycopg
import uvloop
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart

from bench.calls import opened
from bench.database import Company, durable_server, found_company
from bench.measure import note, percentile, spending
from bench.outbox import notified
from bench.report import Result, at_most
from bench.staffing import DONE, Quick, called, runner_on
from hq.engine.announcer import Announcer
from hq.engine.session_waker import SessionWaker
from hq.minds.mind import MindRequest, Reply, TokenUsage
from hq.sessions.config import AgentConfig

RAW = "two durable commits with NOTIFY, to LISTEN"
AT_ONCE = 8


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--asks", type=int, default=100, help="questions, one after the other (default: 100)")
    parser.add_argument("--messages", type=int, default=10_000, help="messages to be routed (default: 10000)")


def run(options: argparse.Namespace) -> list[Result]:
    with durable_server() as server, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        company = found_company(server, "mail")
        raw = asyncio.run(notified(company.address, 200))
        note(f"{options.asks} questions")
        taken = runner.run(_asks(company, options.asks))
        note(f"{options.messages} messages")
        rate, cpu = runner.run(_routed(found_company(server, "post"), options.messages))
    return [
        Result(
            what="ask to reply, p50", value=percentile(taken, 0.5), unit="ms", raw=2 * percentile(raw, 0.5), against=RAW
        ),
        at_most(
            30,
            what="ask to reply, p95",
            value=percentile(taken, 0.95),
            unit="ms",
            raw=2 * percentile(raw, 0.95),
            against=RAW,
        ),
        Result(what="messages routed", value=rate, unit="messages/s"),
        Result(what="CPU a message", value=cpu, unit="ms"),
    ]


class Talking(Quick):
    """One asks as often as it is told to, the other answers at once; the time between is the post's."""

    def __init__(self, asks: int) -> None:
        super().__init__(0)
        self.asks, self.taken, self.over = asks, list[float](), asyncio.Event()
        self._asked_at = 0.0

    async def answer(self, ask: MindRequest, *, on_text: Any = None) -> Reply:
        return Reply(ModelResponse(parts=[self._part(ask)]), self.name, TokenUsage(10, 10), None, 0.0)

    def _part(self, ask: MindRequest) -> TextPart | ToolCallPart:
        first = str(ask.messages[0].parts[0].content)  # type: ignore[union-attr]
        turn = sum(isinstance(message, ModelResponse) for message in ask.messages)
        if "You are agent:ada" in first:
            if turn:
                return TextPart(content=DONE)
            message = first.partition("(message ")[2].partition(")")[0]
            return _call(turn, action="reply", message=message, text="Seven.")
        if turn and any(isinstance(part, ToolReturnPart) for part in ask.messages[-1].parts):
            self.taken.append((time.perf_counter() - self._asked_at) * 1000)
        if turn >= self.asks:
            self.over.set()
            return TextPart(content=DONE)
        self._asked_at = time.perf_counter()
        return _call(turn, action="ask", agent="ada", text=f"How many, {turn}?")


def _call(turn: int, action: str, **args: Any) -> ToolCallPart:
    return ToolCallPart(tool_name=f"agent_{action}", args=args, tool_call_id=f"call-{turn}")


async def _asks(company: Company, count: int) -> list[float]:
    mind = Talking(count)
    async with opened(company) as door:
        for name in ("scout", "ada"):
            await called(door, company, "agent.create", name=name, role="Scout")
        url = company.address.app_url
        runner = runner_on(door, company, mind, 8)
        runner.company.config = _config  # type: ignore[method-assign]
        works = [
            asyncio.create_task(work)
            for work in (Announcer(url, door.clock).run(), SessionWaker(url, door.clock).run(), runner.run())
        ]
        await called(door, company, "agent.send", agent="scout", text="ask ada")
        async with asyncio.timeout(60):
            await mind.over.wait()
        for work in works:
            work.cancel()
        await asyncio.gather(*works, return_exceptions=True)
    return mind.taken[5:]  # the first ones find nothing prepared


async def _config(claimed: Any) -> AgentConfig:
    return AgentConfig(
        claimed.agent,
        "You are a benchmark.",
        tools=("agent",),
        remembers=False,
        max_turns=10_000,
        tokens_per_run=None,
    )


async def _routed(company: Company, count: int) -> tuple[float, float]:
    """By agent, seat, role and persona, to ten who are all there; nobody is woken."""
    async with opened(company) as door:
        await called(door, company, "org.create", name="Post", purpose="post")
        to: list[str] = []
        for number in range(10):
            made = await called(
                door, company, "agent.hire", name=f"a{number}", org="Post", title=f"Seat {number}", role=f"role{number}"
            )
            to += [made["slug"], f"position:{made['title']}", f"role:role{number}", f"persona:{made['persona_slug']}"]
        waiting = iter(range(count))

        async def some() -> None:
            for number in waiting:
                await called(
                    door, company, "agent.send", agent=to[number % len(to)], text=f"message {number}", kind="fyi"
                )

        with spending() as spent:
            await asyncio.gather(*(some() for _ in range(AT_ONCE)))
    with psycopg.connect(company.address.url) as conn:
        row = conn.execute("select count(*), count(distinct recipient) from ops.messages").fetchone()
    if row != (count, 10):
        raise SystemExit(f"{row} of {count} messages to 10 agents arrived")
    return count / spent.wall, spent.cpu * 1000 / count
