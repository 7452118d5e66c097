"""A tree of 100 missions on three levels: delegated, accepted, handed in, signed off and rolled up, with scripted minds."""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg
import uvloop
from psycopg import AsyncConnection
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart

from bench.database import Company, durable_server, found_company, server_cpu
from bench.measure import note, spending
from bench.report import Result
from bench.staffing import DONE, House, called
from hq.app import open_door
from hq.engine.announcer import Announcer
from hq.engine.session_waker import SessionWaker
from hq.engine.sessions.leases import Leases
from hq.minds.mind import MindRequest, Reply, TokenUsage
from hq.sessions.config import AgentConfig
from hq.sessions.runner import Runner

BRIEF = re.compile(r"MISSION BRIEF \((?P<slug>[a-z0-9-]+)\)")
FREE = {"delegation": "autonomous", "collaborators": ["*"]}


@dataclass(frozen=True)
class Shape:
    """Of the tree: how many stand below the root, and below each of those."""

    branches: int
    leaves: int

    @property
    def missions(self) -> int:
        return 1 + self.branches * (1 + self.leaves)


class Team:
    """Whoever leads delegates to those below, signs off what they bring, and hands in; whoever does not hands in."""

    name = "team"

    def __init__(self, shape: Shape) -> None:
        self.shape = shape

    async def answer(self, ask: MindRequest, *, on_text: Any = None) -> Reply:
        found = BRIEF.search(str(ask.messages[0].parts[0].content))  # type: ignore[union-attr]
        parts = self._turn(ask, found["slug"]) if found else [TextPart(content=DONE)]
        return Reply(ModelResponse(parts=parts), self.name, TokenUsage(100, 10), None, 0.0)

    def _turn(self, ask: MindRequest, slug: str) -> list[Any]:
        turn = sum(isinstance(message, ModelResponse) for message in ask.messages)
        if turn == 0:
            return [_call(turn, 0, "accept", ref=slug)]
        helpers = _helpers(slug, self.shape)
        if turn == 1 and helpers:
            return [_call(turn, n, "delegate", ref=slug, **each) for n, each in enumerate(helpers)]
        data = _told(ask.messages[-1])
        if any(each.get("status") == "review" or (each.get("status") == "done" and "says" in each) for each in data):
            return [TextPart(content=DONE)]
        return self._led(turn, slug, ask, data) if helpers else [_call(turn, 0, "submit", ref=slug, outcome="Built.")]

    def _led(self, turn: int, slug: str, ask: MindRequest, data: list[dict[str, Any]]) -> list[Any]:
        ready = [item["mission"] for each in data for item in each.get("items", []) if item["status"] == "review"]
        if ready:
            return [_call(turn, n, "sign_off", ref=each) for n, each in enumerate(ready)]
        open_ = sorted(_of(ask, "mission") - _of(ask, "slug", "done"))
        if open_:
            return [_call(turn, 0, "wait", missions=open_)]
        return [_call(turn, 0, "submit", ref=slug, outcome="Built, with all its parts.")]


def _call(turn: int, n: int, action: str, **args: Any) -> ToolCallPart:
    return ToolCallPart(tool_name=f"mission_{action}", args=args, tool_call_id=f"call-{turn}-{n}")


def _of(ask: MindRequest, field: str, status: str | None = None) -> set[str]:
    """What earlier calls told in a field: the parts that were given out, or those that are done."""
    found: set[str] = set()
    for message in ask.messages:
        for data in _told(message):
            if field in data and (status is None or data.get("status") == status):
                found.add(data[field])
    return found


def _told(message: ModelMessage) -> list[dict[str, Any]]:
    """What calls gave back."""
    returns = [json.loads(str(part.content)) for part in message.parts if isinstance(part, ToolReturnPart)]
    return [each.get("data") or {} for each in returns]


def _helpers(slug: str, shape: Shape) -> list[dict[str, str]]:
    kind, _, number = slug.partition("-")
    if kind == "root":
        return [
            {"title": f"Branch {n} builder", "to": f"branch-{n}", "reason": "many hands"} for n in range(shape.branches)
        ]
    if kind == "branch":
        at = number.partition("-")[0]
        return [
            {"title": f"Leaf {at} {n} builder", "to": f"leaf-{n}", "reason": "many hands"} for n in range(shape.leaves)
        ]
    return []


class Works(House):
    async def config(self, claimed: Any) -> AgentConfig:
        return AgentConfig(claimed.agent, "You are a benchmark.", tools=("mission",), remembers=False)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--room", type=int, default=16, help="sessions at once (default: 16)")
    parser.add_argument("--branches", type=int, default=9, help="missions below the root (default: 9)")
    parser.add_argument("--leaves", type=int, default=10, help="missions below each of them (default: 10)")


def run(options: argparse.Namespace) -> list[Result]:
    shape = Shape(options.branches, options.leaves)
    with durable_server() as server, TemporaryDirectory(dir="/tmp") as home:
        company = found_company(server, "delegate")
        note(f"{shape.missions} missions")
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as loop:
            before = server_cpu(server)
            wall, cpu = loop.run(_tree(company, Path(home), options.room, shape))
            used = server_cpu(server) - before
    return [
        Result(what="missions, given out to signed off", value=shape.missions / wall, unit="missions/s"),
        Result(what="the whole tree", value=wall, unit="s"),
        Result(what="CPU of the process", value=cpu * 1000 / shape.missions, unit="ms/mission"),
        Result(what="CPU of Postgres", value=used * 1000 / shape.missions, unit="ms/mission"),
    ]


async def _tree(company: Company, home: Path, room: int, shape: Shape) -> tuple[float, float]:
    async with open_door(company.address, vault_file=home / "vault.key") as door:
        branches, leaves = [f"branch-{n}" for n in range(shape.branches)], [f"leaf-{n}" for n in range(shape.leaves)]
        for name in ("lead", *branches, *leaves):
            await called(door, company, "agent.create", name=name, role="Builder")
        await called(door, company, "mission.create", title="Root builder", slug="root")
        runner = Runner(Works(door, Team(shape)), company.address.app_url, Leases(door.pool, door.clock), room=room)  # type: ignore[arg-type]
        await called(door, company, "mission.create", title="Leaf builder", slug="warm")
        await called(door, company, "mission.assign", ref="warm", to="leaf-0")
        await runner.run_once()  # tools described, statements prepared
        await called(door, company, "mission.sign_off", ref="warm")
        with spending() as spent:
            await called(door, company, "mission.assign", ref="root", to="lead", **FREE)
            await _until_over(company, runner)
            await called(door, company, "mission.sign_off", ref="root")
    with psycopg.connect(company.address.url) as conn:
        row = conn.execute("select count(*) from graph.nodes where type = 'mission' and status = 'done'").fetchone()
    if not row or row[0] != shape.missions + 1:
        raise SystemExit(f"only {row and row[0] - 1} of {shape.missions} missions were done")
    return spent.wall, spent.cpu


async def _until_over(company: Company, runner: Runner) -> None:
    """The announcer, the router and the worker in turn, until the root was handed in."""
    announcer = Announcer(company.address.app_url, runner.company.door.clock)
    router = SessionWaker(company.address.app_url, runner.company.door.clock)
    async with await AsyncConnection[Any].connect(company.address.app_url, autocommit=True) as conn:
        for _ in range(10_000):
            ran = await runner.run_once()
            moved = await announcer.run_once(conn)
            moved = await router.run_once(conn) or moved
            if ran or moved:
                continue
            await asyncio.sleep(0.005)
            root = await called(runner.company.door, company, "mission.show", ref="root")
            if root["props"]["status"] == "review":
                return
