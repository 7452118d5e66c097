"""What starting a program in the sandbox costs above starting it bare: alone, and with a way out through the proxy."""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path

from bench.measure import median, percentile, spending
from bench.report import Result, at_most
from hq.sandbox import Sandbox, SandboxJob, paths
from hq.sandbox.job import Network
from hq.sandbox.machine import hand_over

PROGRAM = "/usr/bin/true"
WARM = 3


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--runs", type=int, default=50, help="how many of each (default: 50)")


def run(options: argparse.Namespace) -> list[Result]:
    # As root programs run as another user, who has to be able to pass.
    top = Path(tempfile.mkdtemp(prefix="hqbench-", dir="/tmp"))
    top.chmod(0o711)
    try:
        tree = top / "tree"
        tree.mkdir()
        hand_over(tree)
        return asyncio.run(_measure(Sandbox(top / "scratch"), tree, options.runs))
    finally:
        paths.remove(top)


async def _measure(sandbox: Sandbox, tree: Path, runs: int) -> list[Result]:
    bare = [await _bare() for _ in range(WARM + runs)][WARM:]
    told: list[Result] = []
    for what, network, most in (("without network", "off", 60.0), ("with the proxy", ["example.com"], 150.0)):
        walls = [await _inside(sandbox, tree, network) for _ in range(WARM + runs)][WARM:]
        shown = {"unit": "ms", "raw": median(bare), "against": "the same program started bare"}
        told += [
            at_most(most, what=f"a program's whole run, {what}, p50", value=median(walls), **shown),
            Result(what=f"a program's whole run, {what}, p95", value=percentile(walls, 0.95), **shown),
        ]
    return told


async def _bare() -> float:
    with spending() as spent:
        process = await asyncio.create_subprocess_exec(PROGRAM)
        await process.wait()
    return spent.wall * 1000


async def _inside(sandbox: Sandbox, tree: Path, network: Network) -> float:
    with spending() as spent:
        outcome = await sandbox.run(SandboxJob([PROGRAM], tree, network=network))
    assert outcome.ok
    return spent.wall * 1000
