"""What hq adds to a run of the Claude CLI that builds a small web app: sandbox, snapshots, steps, ledger, merge."""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

from bench.database import Company, durable_server, found_company
from bench.measure import median, note, spending
from bench.report import Result, at_most
from hq.app import open_door
from hq.coding.adapter import Order, parsed
from hq.coding.adapters import adapter
from hq.coding.adapters.claude import INSIDE
from hq.coding.destructive import policy
from hq.coding.gateway import open_gateway
from hq.door.door import Door
from hq.door.tx import Call
from hq.minds.scripted.mind import shipped
from hq.sandbox import paths

PROMPT = "Build a small web app that keeps a guest book."
BARE = "the same program started bare, on the same mind"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--runs", type=int, default=5, help="how many of each (default: 5)")


def run(options: argparse.Namespace) -> list[Result]:
    # As root programs run as another user, who has to be able to pass.
    top = Path(tempfile.mkdtemp(prefix="hqbench-", dir="/tmp"))
    top.chmod(0o711)
    try:
        with durable_server() as server:
            return asyncio.run(_measure(top, found_company(server, "coding"), options.runs))
    finally:
        paths.remove(top)


async def _measure(top: Path, company: Company, runs: int) -> list[Result]:
    note("bare")
    bare = [await _bare(top / f"bare-{n}") for n in range(1 + runs)][1:]
    note("through hq")
    async with open_door(company.address, vault_file=top / "vault.key") as door:
        made = Call("workspace.create", {"name": "app", "network": False}, company.token)
        assert (await door.call(made)).ok
        ours = [await _through_hq(door, company.token) for _ in range(1 + runs)][1:]
    walls, cpus = [wall for wall, _ in ours], [cpu for _, cpu in ours]
    raw = median(bare)
    return [
        Result(what="a whole run through hq, p50", value=median(walls), unit="ms", raw=raw, against=BARE),
        at_most(1500, what="what hq adds to a run, p50", value=max(0.0, median(walls) - raw), unit="ms"),
        Result(what="CPU of hq itself", value=median(cpus), unit="ms/run"),
    ]


async def _through_hq(door: Door, token: str) -> tuple[float, float]:
    with spending() as spent:
        args = {"workspace": "app", "prompt": PROMPT, "merge": False, "cli": "claude"}
        done = await door.call(Call("code.execute", args, token))
    assert done.ok and len(done.data["files_created"]) == 3, done.error or done.data
    return spent.wall * 1000, spent.cpu * 1000


async def _bare(directory: Path) -> float:
    """The program with the arguments hq gives it, answered as hq answers, in a directory and nothing around it."""
    directory.mkdir()  # noqa: ASYNC240
    claude = adapter("claude")
    async with open_gateway(shipped()) as gateway:
        order = Order(PROMPT, "yolo", "script", gateway.key, str(uuid4()), False, policy("yolo", {}))
        order = replace(order, url=f"http://127.0.0.1:{gateway.address[1]}")
        command, talk = claude.command(order), claude.talk(order)
        argv = [str(claude.program()) if word == INSIDE else word for word in command.argv]
        env = {**command.env, "PATH": os.defpath, "HOME": str(directory / "home"), "IS_SANDBOX": "1"}
        env["CLAUDE_CONFIG_DIR"] = str(directory / "home")
        pipe = asyncio.subprocess.PIPE
        with spending() as spent:
            process = await asyncio.create_subprocess_exec(
                *argv, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL, env=env, cwd=directory, limit=1 << 24
            )
            assert process.stdin and process.stdout
            process.stdin.write(command.stdin)
            async for line in process.stdout:
                heard = talk.heard(line)
                process.stdin.write(heard.answer)
                if heard.over or parsed(line).get("type") == "result":
                    process.stdin.close()
            await process.wait()
    assert (directory / "app.py").exists()
    return spent.wall * 1000
