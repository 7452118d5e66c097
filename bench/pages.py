"""The pages on a real server: how long each takes until the last byte, with some conversation and work in them, and what looking
leaves in the memory of hq."""

from __future__ import annotations

import argparse
import time

import httpx2

from bench.boot import SETTLE
from bench.chat import founder
from bench.house import running
from bench.measure import memory_of, note, percentile
from bench.report import Result, within
from hq.database.embedded import scratch_home

PAGES = ("/", "/inbox", "/work", "/agents", "/agents/chief", "/onboarding")
WARM = 200
"""Views after which everything that is loaded on first use is there."""
FLAT = 1.05


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--times", type=int, default=40, help="how often each page is asked for (default: 40)")
    parser.add_argument("--tasks", type=int, default=50, help="tasks to be shown (default: 50)")
    parser.add_argument("--views", type=int, default=1000, help="views after which memory is looked at (default: 1000)")


def run(options: argparse.Namespace) -> list[Result]:
    with scratch_home() as home, running(home) as house, founder(house) as client:
        process = [house.process.pid]
        time.sleep(SETTLE)
        booted = memory_of(process)
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
        note(f"{options.views} views of pages and of tasks")
        _look(client, WARM, options.tasks)
        warm = memory_of(process)
        _look(client, options.views - WARM, options.tasks)
        after = memory_of(process)
    return [
        *(
            Result(what=f"{path} p{round(share * 100)}", value=percentile(taken, share), unit="ms")
            for path, taken in walls.items()
            for share in (0.5, 0.95)
        ),
        Result(what=f"memory after {WARM} views", value=warm, unit="MB", raw=booted, against="after the start"),
        within(
            FLAT, what=f"memory after {options.views} views", value=after, unit="MB", raw=warm, against=f"after {WARM}"
        ),
    ]


def _look(client: httpx2.Client, views: int, tasks: int) -> None:
    """So many times: a page, and one of the tasks with its history."""
    for number in range(views):
        client.get(PAGES[number % len(PAGES)]).raise_for_status()
        for verb in ("show", "history"):
            client.post(f"/api/task/{verb}", json={"ref": f"task-{number % tasks}"}).raise_for_status()
