"""The embedder that comes with hq: how long it takes to load, texts a second, CPU, and the memory it holds."""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
from pathlib import Path

from bench import ROOT
from bench.corpus import make_texts
from bench.measure import percentile, spending
from bench.report import Result

QUESTIONS = 500


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--texts", type=int, default=20_000, help="texts to embed (default: 20000)")


def run(options: argparse.Namespace) -> list[Result]:
    command = [sys.executable, "-m", "bench.embed", str(options.texts)]
    told = json.loads(subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout)
    return [
        Result(what="load", value=told["load"], unit="ms"),
        Result(what="embedding in batches", value=told["rate"], unit="texts/s"),
        Result(what="embedding in batches", value=told["cpu"], unit="ms CPU per 1,000 texts"),
        Result(what="a question p50", value=told["p50"], unit="ms"),
        Result(what="a question p95", value=told["p95"], unit="ms"),
        Result(what="memory it adds", value=told["memory"], unit="MB"),
    ]


async def _measure(size: int) -> dict[str, float]:
    from hq.graph.search.embedders import Local

    texts, embedder = make_texts(random.Random(3), size), Local()
    before = _resident()
    with spending() as loading:
        await embedder.embed(["Anything."])
    with spending() as working:
        for start in range(0, size, embedder.batch):
            await embedder.embed(texts[start : start + embedder.batch])
    walls = []
    for text in texts[:QUESTIONS]:
        with spending() as asked:
            await embedder.embed([text], query=True)
        walls.append(asked.wall * 1000)
    return {
        "load": loading.wall * 1000,
        "rate": size / working.wall,
        "cpu": working.cpu * 1_000_000 / size,
        "p50": percentile(walls, 0.5),
        "p95": percentile(walls, 0.95),
        "memory": _resident() - before,
    }


def _resident() -> float:
    """MB this process holds."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_measure(int(sys.argv[1])))))
