"""Readers of the event stream in a process of their own: `python -m bench.listening`, one JSON line in, two out.

Says when all of them are connected, then, once each has seen so many events, when each saw which.
"""

from __future__ import annotations

import asyncio
import json
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


async def _listen(url: str, token: str, readers: int, count: int) -> None:
    opening = asyncio.Semaphore(AT_ONCE)

    async def opened() -> asyncio.StreamReader:
        async with opening:
            return await _open(url, token)

    streams = await asyncio.gather(*(opened() for _ in range(readers)))
    print("ready", flush=True)
    print(json.dumps(await asyncio.gather(*(_read(stream, count) for stream in streams))), flush=True)


async def _open(url: str, token: str) -> asyncio.StreamReader:
    place = urlsplit(url)
    reader, writer = await asyncio.open_connection(place.hostname, place.port)
    writer.write(
        f"GET /api/events?topic={TOPIC} HTTP/1.1\r\nHost: {place.netloc}\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
    )
    await reader.readuntil(b"event: ready")
    _open_writers.append(writer)
    return reader


_open_writers: list[asyncio.StreamWriter] = []  # a writer nobody holds is closed


async def _read(reader: asyncio.StreamReader, count: int) -> list[tuple[int, float]]:
    seen: list[tuple[int, float]] = []
    deadline = time.perf_counter() + PATIENCE
    while len(seen) < count and time.perf_counter() < deadline:
        try:
            line = await asyncio.wait_for(reader.readline(), PATIENCE)
        except TimeoutError:
            break
        if not line:
            break
        if line.startswith(b'data: {"id"'):
            seen.append((json.loads(line[6:])["payload"]["n"], time.perf_counter()))
    return seen


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_listen(**json.loads(sys.stdin.readline())))
