"""A process that writes as fast as it can and says after each call what was acknowledged. Killed by the tests."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from hq.app import open_door
from hq.database.address import Address
from hq.door.tx import Call


async def main(url: str, token: str, home: str, prefix: str) -> None:
    async with open_door(Address(url), vault_file=Path(home) / "vault.key", pool_size=4) as door:
        await asyncio.gather(*(write(door, token, f"{prefix}-{lane}") for lane in range(4)))


async def write(door, token: str, lane: str) -> None:
    number = 0
    while True:
        number += 1
        outcome = await door.call(Call("task.create", {"title": f"{lane}-{number}", "tags": [lane]}, token))
        if outcome.ok:
            sys.stdout.write(outcome.data["slug"] + "\n")
            sys.stdout.flush()


asyncio.run(main(*sys.argv[1:]))
