"""A receiver of webhooks on this machine, and the courier that serves it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from hq.channels.webhooks.delivery import Courier
from hq.clock import FakeClock, SystemClock
from tests.support.company import Hq
from tests.support.supervised import announced

from .outside import Outside, outside


@dataclass
class Receiver:
    """Answers as it is told to, and keeps what it was sent."""

    url: str = ""
    answers: list[int] = field(default_factory=list)
    """The next statuses; 204 when there are none left. 0 hangs up without a word."""
    got: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lines = (await reader.readuntil(b"\r\n\r\n")).decode().splitlines()
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:] if line)}
        body = await reader.readexactly(int(headers["content-length"]))
        self.got.append((headers, body))
        status = self.answers.pop(0) if self.answers else 204
        if status:
            where = "Location: http://127.0.0.1:1/\r\n" if 300 <= status < 400 else ""
            writer.write(f"HTTP/1.1 {status} Said\r\n{where}Content-Length: 0\r\nConnection: close\r\n\r\n".encode())
            await writer.drain()
        writer.close()

    @property
    def said(self) -> list[Any]:
        return [json.loads(body) for _, body in self.got]

    @property
    def topics(self) -> list[str]:
        return [event["type"] for event in self.said]


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    made = Receiver()
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook?a=b"
    async with server:
        yield made


@pytest.fixture
def clock() -> FakeClock:
    """The other side checks how old a message is by its own clock, so this one starts at the real time."""
    return FakeClock(SystemClock().now())


@pytest.fixture
async def out() -> AsyncIterator[Outside]:
    """A server somewhere else, with the pages that a test gives it."""
    async with outside() as server:
        yield server


class Rounds:
    """The courier, one round at a time."""

    def __init__(self, hq: Hq) -> None:
        self._hq = hq
        self.courier = Courier(hq.address.app_url, hq.door)

    async def __call__(self, **later: float) -> int:
        """Announce and deliver, after so much time."""
        self._hq.clock.advance(**later)
        await announced(self._hq)
        return await self.courier.deliver_once()


@pytest.fixture
async def settled(own_hq: Hq) -> Callable[[], Awaitable[None]]:
    return lambda: announced(own_hq)


@pytest.fixture
def deliver(own_hq: Hq) -> Rounds:
    return Rounds(own_hq)
