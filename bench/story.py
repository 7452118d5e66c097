"""The recorded stories with a model: calls, tokens in (fresh, cached) and out, the founder's clicks, time without the model; first calls."""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import uvloop

from bench.database import Company, durable_server, found_company
from bench.measure import note
from bench.report import Result, at_least, at_most
from hq.app import open_door
from hq.clock import FakeClock, SystemClock
from hq.minds.tokens import estimate
from tests.stories.replay import RECORDINGS, recording, replay
from tests.support.company import Hq
from tests.support.provider_by_hand import Answered
from tests.support.supervised import Supervised

CALLS = {"1": 15, "2": 4, "3": 2}
FRESH = {"1": 60_000}
"""Goals, by the story's number."""
FIRST, CACHED = 8_000, 0.9
COMPANY = "Acme HQ"
"""As the recordings call it."""


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
class Kept:
    """What a provider keeps of requests on Anthropic's wire: all up to a block that is marked, for whoever begins the same."""

    ends: dict[bytes, int] = field(default_factory=dict)
    """Tokens up to the end of what is kept, by its hash."""
    last: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Of each agent, how its latest conversation begins, and what was kept of the call before."""
    firsts: dict[str, int] = field(default_factory=dict)
    """Tokens of the first call, by agent."""
    shares: list[float] = field(default_factory=list)
    """Of each later call, how much of what had been sent before was read from what is kept."""

    def count(self, body: dict[str, Any]) -> tuple[int, int]:
        """Of a request, the tokens that are fresh, and those that were kept."""
        digest, size, read, marked, static = sha256(), 0, 0, 0, 0
        for part, text, is_end in _blocks(body):
            digest.update(text.encode())
            size += estimate(text)
            read = max(read, self.ends.get(digest.digest(), 0))
            if is_end:
                self.ends[digest.digest()] = marked = size
            if part != "messages":
                static = marked
        agent, begins = _agent(body), json.dumps(body["messages"][0])
        if agent in self.firsts:
            conversation, before = self.last[agent]
            self.shares.append(min(1.0, read / (before if conversation == begins else static)))
        self.firsts.setdefault(agent, size)
        self.last[agent] = (begins, marked)
        return size - read, read


def _blocks(body: dict[str, Any]) -> Iterator[tuple[str, str, bool]]:
    """What a provider reads, in order: where it stands, its text, and whether what comes up to it is to be kept."""
    for tool in body.get("tools", ()):
        yield "tools", *_block(tool)
    for block in body["system"]:
        yield "system", *_block(block)
    for message in body["messages"]:
        said = message["content"]
        for block in [{"type": "text", "text": said}] if isinstance(said, str) else said:
            yield "messages", *_block(block, message["role"])


def _block(block: dict[str, Any], role: str = "") -> tuple[str, bool]:
    plain = {key: value for key, value in block.items() if key != "cache_control"}
    return role + json.dumps(plain), "cache_control" in block


def _agent(body: dict[str, Any]) -> str:
    return json.dumps(body).partition("You are **")[2].partition("**")[0]


def add_options(parser: argparse.ArgumentParser) -> None:
    return None


def run(options: argparse.Namespace) -> list[Result]:
    stories, kept = dict[str, Cost](), Kept()
    with durable_server() as server, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        for file in sorted(RECORDINGS.glob("*.json")):
            note(file.stem)
            company = found_company(server, f"story-{file.stem}", COMPANY)
            runner.run(_retold(company, recording(file.stem), stories, kept))
    return [
        *(result for name, cost in sorted(stories.items()) for result in _results(name, cost)),
        *(at_most(FIRST, what=f"first call: {agent}", value=size, unit="tokens") for agent, size in kept.firsts.items()),
        at_least(CACHED, what="kept of what was sent before (least)", value=min(kept.shares), unit="of it"),
    ]  # fmt: skip


async def _retold(company: Company, recorded: dict[str, Any], stories: dict[str, Cost], kept: Kept) -> None:
    with TemporaryDirectory() as place:
        clock, key = FakeClock(SystemClock().now()), Path(place) / "vault.key"
        async with open_door(company.address, vault_file=key, clock=clock, pool_size=8) as door:
            house = Supervised(Hq(door, company.address, company.token, clock))
            await house.hq.do("agent.load")
            await house.settle()
            said = list[tuple[str, int, float, int]]()

            def heard(by_hand: Answered, turn: dict[str, Any]) -> None:
                clicks = turn.get("clicks", 0) + len(turn.get("pressed", ()))
                story = recorded.get("story") or turn["story"]
                said.append((story, len(by_hand.provider.bodies), time.perf_counter(), clicks))

            by_hand, wrong = await replay(house, recorded, "anthropic", heard)
            if wrong or any(by_hand.provider.lines.left.values()):  # type: ignore[union-attr]
                raise SystemExit(
                    "\n".join(wrong) or f"{recorded['sessions'][0]['agent']} was asked less than when it was recorded"
                )
            ends = [*said[1:], ("", len(by_hand.provider.bodies), time.perf_counter(), 0)]
            for (story, first, began, clicks), (_, last, ended, _) in zip(said, ends, strict=True):
                cost = stories.setdefault(story, Cost())
                cost.clicks += clicks
                cost.wall += ended - began
                for body in by_hand.provider.bodies[first:last]:
                    fresh, cached = kept.count(body)
                    cost.calls += 1
                    cost.fresh += fresh
                    cost.cached += cached
    for session in recorded["sessions"]:
        story = recorded.get("story", "")
        for turn in session["turns"]:
            story = turn.get("story", story)
            if "said" not in turn:
                stories[story].out += estimate(json.dumps(turn.get("calls", ""))) + estimate(turn.get("text", ""))


def _results(name: str, cost: Cost) -> list[Result]:
    number, _, title = name.partition(", ")
    story = f"story {number}, {title.partition(',')[0]}"
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
