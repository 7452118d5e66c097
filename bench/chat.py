"""The founder's conversation on a real server: from a message to the first word of the answer, early and after many others."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from typing import Any

import httpx2

from bench.house import House, running
from bench.measure import note, percentile
from bench.report import Result
from bench.talk import lengthen
from hq.database.embedded import EmbeddedServer, scratch_home

ASKED = "What time is it?"
FEW = 100


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--messages", type=int, default=60, help="messages, one after the other (default: 60)")
    parser.add_argument(
        "--earlier", type=int, default=10_000, help="messages that were said long before (default: 10000)"
    )


def run(options: argparse.Namespace) -> list[Result]:
    with scratch_home() as home, running(home) as house, founder(house) as client:
        for _ in range(2):  # the first one loads what answering needs
            _ask(client)
        lengthen(EmbeddedServer(home).url, FEW)
        note(f"{options.messages} messages after {FEW} others")
        few = [_ask(client) for _ in range(options.messages)]
        lengthen(EmbeddedServer(home).url, options.earlier)
        note(f"{options.messages} messages after {options.earlier} others")
        many = [_ask(client) for _ in range(options.messages)]
    raw = f"the same after {FEW}"
    return [
        Result(what="message to first streamed byte p50", value=percentile(few, 0.5), unit="ms"),
        Result(what="message to first streamed byte p95", value=percentile(few, 0.95), unit="ms"),
        Result(
            what=f"p50 after {options.earlier:,} messages", value=percentile(many, 0.5), unit="ms",
            raw=percentile(few, 0.5), against=raw,
        ),
        Result(
            what=f"p95 after {options.earlier:,} messages", value=percentile(many, 0.95), unit="ms",
            raw=percentile(few, 0.95), against=raw,
        ),
    ]  # fmt: skip


def founder(house: House) -> httpx2.Client:
    token = (house.home / "token").read_text().strip()
    return httpx2.Client(base_url=house.url, headers={"authorization": f"Bearer {token}"}, timeout=60)


def _ask(client: httpx2.Client) -> float:
    """Milliseconds until something of the answer is there; it comes back when all of it is."""
    begun = time.perf_counter()
    said = client.post("/api/chat/say", json={"text": ASKED}).json()["data"]
    first = 0.0
    with client.stream("GET", "/api/chat/stream", params={"after": said["after"]}) as stream:
        for name, data in _frames(stream):
            answers = name == "draft" or (name == "line" and data["role"] == "assistant")
            first = first or ((time.perf_counter() - begun) * 1000 if answers else 0.0)
            if first and name == "status" and data["state"] != "working":
                return first
    raise SystemExit("the stream ended before the answer did")


def _frames(stream: httpx2.Response) -> Iterator[tuple[str, dict[str, Any]]]:
    name = ""
    for line in stream.iter_lines():
        key, _, value = line.partition(": ")
        if key == "event":
            name = value
        if key == "data":
            yield name, json.loads(value)
