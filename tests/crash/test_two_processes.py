"""Two processes, one key, one effect."""

from __future__ import annotations

import json
import subprocess
import sys

from hq.clock import SystemClock

PROGRAM = """
import asyncio, json, sys
from pathlib import Path
from hq.app import open_door
from hq.database.address import Address
from hq.door.tx import Call

async def main(url, token, home):
    async with open_door(Address(url), vault_file=Path(home) / "vault.key") as door:
        print("ready", flush=True)
        sys.stdin.readline()
        calls = [Call("task.create", {"title": f"Pay {n % 10}"}, token, key=f"k{n % 10}") for n in range(40)]
        outcomes = await asyncio.gather(*(door.call(call) for call in calls))
        print(json.dumps([[o.ok, o.data and o.data["slug"], str(o.action_id)] for o in outcomes]))

asyncio.run(main(*sys.argv[1:]))
"""


async def test_the_same_key_in_two_processes_acts_once(hq, tmp_path):
    started = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, hq.address.url, hq.token, tmp_path],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for _ in range(2)
    ]  # fmt: skip
    for process in started:
        assert process.stdout and process.stdout.readline() == "ready\n"
    for process in started:
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()
    answers = [row for process in started for row in json.loads(process.communicate()[0])]

    hq.clock.set(SystemClock().now())  # theirs is the real one
    assert all(ok for ok, _, _ in answers)
    assert len({slug for _, slug, _ in answers}) == len({action for _, _, action in answers}) == 10
    assert len((await hq.do("task.list"))["items"]) == 10
