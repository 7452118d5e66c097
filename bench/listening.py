"""Readers of the event stream in a process of their own: `python -m bench.listening`, one JSON line in, two out.

Says when all of them are connected, then, once each has seen so many events, when each saw which.
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

import uvloop

from bench import ROOT

TOPIC = "bench.ticked"
PATIENCE = 120.0
NUMBER = re.compile(rb'"payload":{"n": (\d+)}')
AT_ONCE = 50  # connections that are made at the same time


@dataclass(frozen=True)
class Heard:
    """Per reader, in the order in which they came: the number of each event and the moment on the shared clock."""

    readers: list[list[tuple[int, float]]]

    def amiss(self, count: int) -> int:
        """How many events some reader did not see, saw twice or saw out of order."""
        return sum(sum(n != wanted for wanted, (n, _) in enumerate(seen)) + count - len(seen) for seen in self.readers)


class Listeners:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def heard(self) -> Heard:
        assert self._process.stdout is not None
        return Heard(json.loads(self._process.stdout.readline()))


@contextmanager
def listening(url: str, token: str, readers: int, count: int) -> Iterator[Listeners]:
    """So many readers, connected, who wait for so many events."""
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.listening"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdin.write(json.dumps({"url": url, "token": token, "readers": readers, "count": count}) + "\n")
        process.stdin.flush()
        if process.stdout.readline().strip() != "ready":
            raise SystemExit("the readers could not connect")
        yield Listeners(process)
    finally:
        process.stdin.close()
        process.terminate()
        process.wait(30)


class Reader(asyncio.Protocol):
    """One stream. Takes as little time as it can: what is measured is the server."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._rest = b""
        self.ready = asyncio.get_running_loop().create_future()
        self.done = asyncio.get_running_loop().create_future()
        self.seen: list[tuple[int, float]] = []

    def data_received(self, data: bytes) -> None:
        now = time.perf_counter()
        whole, end, self._rest = (self._rest + data).rpartition(b"\n\n")
        if not end:
            return
        if not self.ready.done() and b"event: ready" in whole:
            self.ready.set_result(None)
        self.seen += [(int(n), now) for n in NUMBER.findall(whole)]
        if len(self.seen) >= self._count and not self.done.done():
            self.done.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:
        for waiting in (self.ready, self.done):
            if not waiting.done():
                waiting.set_result(None)


async def _listen(url: str, token: str, readers: int, count: int) -> None:
    opening = asyncio.Semaphore(AT_ONCE)

    async def opened() -> Reader:
        async with opening:
            return await _open(url, token, count)

    streams = await asyncio.gather(*(opened() for _ in range(readers)))
    print("ready", flush=True)
    await asyncio.wait([stream.done for stream in streams], timeout=PATIENCE)
    print(json.dumps([stream.seen for stream in streams]), flush=True)


async def _open(url: str, token: str, count: int) -> Reader:
    place = urlsplit(url)
    assert place.hostname and place.port
    loop = asyncio.get_running_loop()
    transport, reader = await loop.create_connection(lambda: Reader(count), place.hostname, place.port)
    head = f"GET /api/events?topic={TOPIC} HTTP/1.1\r\nHost: {place.netloc}\r\nAuthorization: Bearer {token}\r\n\r\n"
    transport.write(head.encode())
    await reader.ready
    return reader


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_listen(**json.loads(sys.stdin.readline())))
