"""A server on a socket in the test's own loop, and as much of a reader of server-sent events as the tests need."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from hq.api.app import create_app
from hq.engine.announcer import Announcer
from hq.headquarters import Headquarters
from hq.settings import Settings
from hq.stream.hub import Hub


@dataclass(frozen=True)
class Said:
    """One event off the wire."""

    id: str
    name: str
    data: Any


class Stream:
    """An open connection to a stream."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, status: int, head: bytes) -> None:
        self._reader, self._writer = reader, writer
        self.status, self.head = status, head.decode()
        self._raw = b""

    async def next(self) -> Said | None:
        """The next event of any name; None when the server has closed the stream."""
        while b"\n\n" not in self._raw:
            chunk = await self._chunk()
            if not chunk:
                return None
            self._raw += chunk
        block, _, self._raw = self._raw.partition(b"\n\n")
        fields = dict(line.split(": ", 1) for line in block.decode().splitlines())
        return Said(fields["id"], fields.get("event", "message"), json.loads(fields["data"]))

    async def events(self, count: int) -> list[Said]:
        """The next events that are not of the stream itself."""
        found: list[Said] = []
        while len(found) < count:
            said = await self.next()
            assert said is not None, "the stream ended"
            if said.name == "message":
                found.append(said)
        return found

    async def until(self, name: str) -> Said:
        while said := await self.next():
            if said.name == name:
                return said
        raise AssertionError(f"the stream ended without {name}")

    def cut(self) -> None:
        self._writer.transport.abort()

    async def _chunk(self) -> bytes:
        try:
            size = int((await self._reader.readline()).strip() or b"0", 16)
            chunk = await self._reader.readexactly(size)
            await self._reader.readexactly(2)
        except (asyncio.IncompleteReadError, ConnectionError, ValueError):
            return b""
        return chunk


class Served:
    def __init__(self, port: int, token: str, hub: Hub) -> None:
        self.port, self.token, self.hub = port, token, hub

    async def follow(
        self, query: str = "", token: str | None = None, path: str = "/api/events", **headers: str
    ) -> Stream:
        """Open a stream. Header names are written with underscores."""
        named = {"authorization": f"Bearer {token or self.token}"} | headers
        lines = [f"GET {path}{query} HTTP/1.1", f"Host: 127.0.0.1:{self.port}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in named.items() if value]
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        head = await reader.readuntil(b"\r\n\r\n")
        return Stream(reader, writer, int(head.split()[1]), head)


@asynccontextmanager
async def served(house: Headquarters) -> AsyncIterator[Served]:
    """The HTTP face on a free port."""
    assert house.token
    hub = Hub(house.address.app_url, house.door.pool, house.clock)
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(create_app(house, None, hub), log_config=None, lifespan="off", http="httptools", ws="none")
    server = uvicorn.Server(config)
    server.capture_signals = _uncaught  # type: ignore[method-assign]
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield Served(listener.getsockname()[1], house.token, hub)
    finally:
        await hub.close()
        server.should_exit = server.force_exit = True
        await task


@asynccontextmanager
async def announcing(house: Headquarters) -> AsyncIterator[Announcer]:
    announcer = Announcer(house.address.app_url, house.clock)
    task = asyncio.create_task(announcer.run())
    try:
        yield announcer
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


class _Uncaught:
    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


def _uncaught() -> _Uncaught:
    return _Uncaught()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.load({"HQ_HOME": str(tmp_path), "HQ_ALLOWED_HOSTS": "hq.example, Other.Example"})
