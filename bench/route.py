"""The router of the founder's messages: how often it is right on utterances that it was not fitted to, and how long it takes."""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Iterable
from pathlib import Path

from bench.measure import percentile
from bench.report import Result
from hq.sessions.routing.router import INTENTS, QUICK, Intent, MessageRouter, Route, read_examples

SPLITS = {"held out": Path(__file__).with_name("route.tsv"), "fresh": Path(__file__).with_name("route_fresh.tsv"),
          "outsiders": Path(__file__).with_name("route_outsiders.tsv")}  # fmt: skip
"""`fresh` was written without a look at the router, and `outsiders` is what people said who tried the product; nothing of either was
ever put among the examples."""
Judged = tuple[Intent, str, Route]


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--wrong", action="store_true", help="print what it got wrong")


def run(options: argparse.Namespace) -> list[Result]:
    return asyncio.run(_measure(options.wrong))


async def _measure(show: bool) -> list[Result]:
    router = MessageRouter()
    begun = time.perf_counter()
    await router.route("Hello")
    first = (time.perf_counter() - begun) * 1000
    walls: list[float] = []
    learnt = (await router.fitted()).left_out()
    found = [
        Result(what="examples", value=len(learnt), unit=""),
        Result(what="intent right, each example left out", value=_share(i == r.intent for i, r in learnt), unit="%"),
        Result(
            what="mode right, each example left out",
            value=_share((i in QUICK) == (r.mode == "quick") for i, r in learnt),
            unit="%",
        ),
    ]
    for name, file in SPLITS.items():
        judged = [await _judged(router, intent, text, walls) for intent, text in read_examples(file)]
        if show:
            _print_wrong(name, judged)
        found += _accuracy(name, judged)
    return [
        *found,
        Result(what="first route, model and fit", value=first, unit="ms"),
        Result(what="a route p50", value=percentile(walls, 0.5), unit="ms"),
        Result(what="a route p95", value=percentile(walls, 0.95), unit="ms"),
    ]


async def _judged(router: MessageRouter, intent: Intent, text: str, walls: list[float]) -> Judged:
    begun = time.perf_counter()
    route = await router.route(text)
    walls.append((time.perf_counter() - begun) * 1000)
    return intent, text, route


def _accuracy(split: str, judged: list[Judged]) -> list[Result]:
    hard = [route for intent, _, route in judged if intent not in QUICK]
    easy = [route for intent, _, route in judged if intent in QUICK]
    return [
        Result(what=f"{split}: utterances", value=len(judged), unit=""),
        Result(what=f"{split}: intent right", value=_share(i == r.intent for i, _, r in judged), unit="%"),
        *(
            Result(
                what=f"{split}: intent right: {name}",
                value=_share(r.intent == name for i, _, r in judged if i == name),
                unit="%",
            )
            for name in INTENTS
        ),
        Result(
            what=f"{split}: mode right",
            value=_share((i in QUICK) == (r.mode == "quick") for i, _, r in judged),
            unit="%",
        ),
        Result(
            what=f"{split}: work taken for a quick question", value=_share(r.mode == "quick" for r in hard), unit="%"
        ),
        Result(what=f"{split}: quick ones that are quick", value=_share(r.mode == "quick" for r in easy), unit="%"),
    ]


def _print_wrong(split: str, judged: list[Judged]) -> None:
    for intent, text, route in judged:
        if route.intent != intent:
            print(f"{split:10} {intent:12} {route.intent:12} {route.mode:10} {text}")


def _share(right: Iterable[bool]) -> float:
    told = list(right)
    return 100 * sum(told) / len(told)
