"""The announcer in a process of its own, so that the caller's CPU is the caller's: `python -m bench.announcing`.

Takes the database's address on stdin and works until that is closed.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import uvloop

from bench import ROOT
from bench.database import Company
from hq.clock import SystemClock
from hq.engine.announcer import Announcer


@contextmanager
def announcing(company: Company) -> Iterator[int]:
    """Its pid."""
    process = subprocess.Popen([sys.executable, "-m", "bench.announcing"], stdin=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdin is not None
    try:
        process.stdin.write(company.address.app_url + "\n")
        process.stdin.flush()
        yield process.pid
    finally:
        process.stdin.close()
        process.wait(30)


async def _until_told(url: str) -> None:
    work = asyncio.create_task(Announcer(url, SystemClock()).run())
    await asyncio.to_thread(sys.stdin.read)
    work.cancel()
    await asyncio.gather(work, return_exceptions=True)


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_until_told(sys.stdin.readline().strip()))
