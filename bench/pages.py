"""The pages on a real server: how long each takes until the last byte, with some conversation and work in them."""

from __future__ import annotations

import argparse
import time

from bench.chat import founder
from bench.house import running
from bench.measure import note, percentile
from bench.report import Result
from hq.database.embedded import scratch_home

PAGES = ("/", "/inbox", "/work", "/agents", "/agents/chief", "/onboarding")


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--times", type=int, default=40, help="how often each page is asked for (default: 40)")
    parser.add_argument("--tasks", type=int, default=50, help="tasks to be shown (default: 50)")


def run(options: argparse.Namespace) -> list[Result]:
    with scratch_home() as home, running(home) as house, founder(house) as client:
        for number in range(options.tasks):
            house.call("task.create", {"title": f"Task {number}"})
        link = client.post("/api/auth/login", json={}).json()["data"]["path"]
        client.get(link)  # from here on the session's cookie is what counts
        note(f"{len(PAGES)} pages, {options.times} times each")
        walls: dict[str, list[float]] = {path: [] for path in PAGES}
        for _ in range(options.times):
            for path, taken in walls.items():
                begun = time.perf_counter()
                client.get(path).raise_for_status()
                taken.append((time.perf_counter() - begun) * 1000)
    return [
        Result(what=f"{path} p{round(share * 100)}", value=percentile(taken, share), unit="ms")
        for path, taken in walls.items()
        for share in (0.5, 0.95)
    ]
