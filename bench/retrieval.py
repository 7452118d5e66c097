"""How much of what answers a question is found: conversations written as messages, questions asked of the search."""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import uvloop

from bench.database import durable_server, found_company
from bench.finding import Finding, finding
from bench.measure import mean, note, percentile
from bench.report import Result, at_least, at_most

DEPTHS = (1, 5, 10, 20)
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop", 5: "adversarial"}
ADVERSARIAL = 5
RECALL, MRR, LATENCY = 0.80, 0.55, 40.0
PACE = timedelta(seconds=30)  # between two messages of a session
WRITERS = 8
_TURN = re.compile(r"D:?(\d+):0*(\d+)")


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, help="conversations with questions, as /work/shared/data describes them")
    parser.add_argument("--mode", default="hybrid", help="hybrid, words or meaning (default: hybrid)")


@dataclass(frozen=True)
class Turn:
    id: str
    speaker: str
    text: str
    at: datetime
    session: int


@dataclass(frozen=True)
class Question:
    text: str
    evidence: frozenset[str]
    category: int


@dataclass(frozen=True)
class Talk:
    """One conversation over several sessions, and what is asked of it."""

    name: str
    turns: list[Turn]
    questions: list[Question]


@dataclass
class Score:
    """Of some questions: the share of evidence within each depth, and one over the rank of the first."""

    shares: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    ranks: list[float] = field(default_factory=list)

    def add(self, evidence: frozenset[str], found: list[str]) -> None:
        for depth in DEPTHS:
            self.shares[depth].append(len(evidence & set(found[:depth])) / len(evidence))
        self.ranks.append(next((1 / rank for rank, turn in enumerate(found, 1) if turn in evidence), 0.0))


def run(options: argparse.Namespace) -> list[Result]:
    if options.data is None:
        note("retrieval needs --data FILE; nothing was measured")
        return []
    talks = read(json.loads(options.data.read_text("utf-8")))
    with durable_server() as server, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        company = found_company(server, "retrieval")
        scores, walls = runner.run(_measure(company, talks, options.mode))
    return [*_told(scores), *_latency(walls)]


def read(data: Iterable[dict[str, Any]]) -> list[Talk]:
    return [_talk(sample) for sample in data]


def _talk(sample: dict[str, Any]) -> Talk:
    said, turns = sample["conversation"], []
    for number in sorted(int(key.split("_")[1]) for key in said if re.fullmatch(r"session_\d+", key)):
        start = _moment(said.get(f"session_{number}_date_time", ""), number)
        turns += [
            Turn(turn["dia_id"], turn["speaker"], _text(turn), start + place * PACE, number)
            for place, turn in enumerate(said[f"session_{number}"])
        ]
    known = {turn.id for turn in turns}
    questions = []
    for asked in sample["qa"]:
        evidence = {f"D{s}:{t}" for text in asked.get("evidence", ()) for s, t in _TURN.findall(str(text))} & known
        if evidence:
            questions.append(Question(asked["question"], frozenset(evidence), asked["category"]))
    return Talk(str(sample.get("sample_id", "")), turns, questions)


def _text(turn: dict[str, Any]) -> str:
    shared = f" [shared image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
    return turn["text"] + shared


def _moment(text: str, number: int) -> datetime:
    for form in ("%I:%M %p on %d %B, %Y", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d"):
        try:
            return datetime.strptime(text.strip(), form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return datetime(2023, 1, 1, tzinfo=UTC) + timedelta(days=number)


async def _measure(company: Any, talks: list[Talk], mode: str) -> tuple[dict[int, Score], list[float]]:
    scores: dict[int, Score] = defaultdict(Score)
    walls: list[float] = []
    async with finding(company) as hq:
        companies = []
        for place, talk in enumerate(talks):
            token = (await hq.do("tenant.create", name=f"Company {place}", founder="Founder"))["token"]
            companies.append((talk, token, *await write(hq, talk, token)))
        await hq.catch_up()
        note(f"{sum(len(talk.turns) for talk in talks):,} messages written and indexed")
        for talk, token, turns, asker in companies:
            for question in talk.questions:
                started = time.perf_counter()
                found = await hq.do("graph.search", token=token, query=question.text, mode=mode,
                                    type=["interaction"], asker=asker, limit=max(DEPTHS))  # fmt: skip
                walls.append((time.perf_counter() - started) * 1000)
                scores[question.category].add(question.evidence, [turns[row["slug"]] for row in found["items"]])
    return scores, walls


async def write(hq: Finding, talk: Talk, token: str) -> tuple[dict[str, str], str | None]:
    """Sessions as conversations, turns as messages, dates as times. The turn by the slug its message got, and who asks."""
    people = {}
    for name in dict.fromkeys(turn.speaker for turn in talk.turns):
        people[name] = (await hq.do("contact.create", token=token, name=name))["slug"]
    sessions = {}
    for turn in talk.turns:
        if turn.session not in sessions:
            made = await hq.do("conversation.create", token=token, title=f"Session {turn.session}",
                               started_at=turn.at.isoformat())  # fmt: skip
            sessions[turn.session] = made["slug"]
    slugs: dict[str, str] = {}
    waiting = iter(talk.turns)

    async def writer() -> None:
        for turn in waiting:
            made = await hq.do(
                "interaction.log",
                token=token,
                **{
                    "channel": "chat",
                    "direction": "internal",
                    "body": turn.text,
                    "occurred_at": turn.at.isoformat(),
                    "conversation": sessions[turn.session],
                    "from": people[turn.speaker],
                },
            )
            slugs[made["slug"]] = turn.id

    await asyncio.gather(*(writer() for _ in range(WRITERS)))
    # In a chat with an assistant the one who asks is the one who chatted.
    asker = next((slug for name, slug in people.items() if name.lower() in ("user", "human")), None)
    return slugs, asker


def _told(scores: dict[int, Score]) -> list[Result]:
    together = Score()
    for category, score in scores.items():
        if category != ADVERSARIAL:
            together.ranks += score.ranks
            for depth in DEPTHS:
                together.shares[depth] += score.shares[depth]
    told = list(_lines("categories 1–4", together, goals=True)) if together.ranks else []
    for category in sorted(scores):
        told += _lines(CATEGORIES.get(category, f"category {category}"), scores[category])
    return told


def _lines(what: str, score: Score, goals: bool = False) -> Iterable[Result]:
    against = f"{len(score.ranks)} questions"
    for depth in DEPTHS:
        value = mean(score.shares[depth])
        name = f"recall@{depth}, {what}"
        if goals and depth == 10:
            yield at_least(RECALL, what=name, value=value, unit="share", against=against)
        else:
            yield Result(what=name, value=value, unit="share", against=against)
    value, name = mean(score.ranks), f"MRR, {what}"
    if goals:
        yield at_least(MRR, what=name, value=value, unit="share", against=against)
    else:
        yield Result(what=name, value=value, unit="share", against=against)


def _latency(walls: list[float]) -> list[Result]:
    return [
        Result(what="search p50", value=percentile(walls, 0.5), unit="ms"),
        at_most(LATENCY, what="search p95", value=percentile(walls, 0.95), unit="ms"),
    ]
