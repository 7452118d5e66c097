"""The proxy a sandboxed program finds on its own loopback: CONNECT and plain HTTP, to where the dialer agrees to go."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from contextlib import suppress
from urllib.parse import urlsplit

from hq.sandbox.dialer import Blocked, Connection, Dialer, NetworkPolicy
from hq.sandbox.job import ReachedHost

PORT = 3128
ENV = {
    name: f"http://127.0.0.1:{PORT}"
    for each in ("http_proxy", "https_proxy", "all_proxy")
    for name in (each, each.upper())
} | {"no_proxy": "localhost,127.0.0.1,::1", "NO_PROXY": "localhost,127.0.0.1,::1", "NODE_USE_ENV_PROXY": "1"}
AT_ONCE = 128
PIECE = 64 << 10
KEPT = 1000
PATIENCE = 30.0


class Proxy:
    """Serves one sandbox until it is closed."""

    def __init__(self, policy: NetworkPolicy, dialer: Dialer) -> None:
        self.reached: list[ReachedHost] = []
        self._policy = policy
        self._dialer = dialer
        self._servers: list[asyncio.Server] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def serve(self, listener: socket.socket) -> None:
        """Answer as a proxy on this socket."""
        self._servers.append(await asyncio.start_server(self._proxy, sock=listener, limit=PIECE))

    async def lead(self, listener: socket.socket, target: tuple[str, int]) -> None:
        """Lead everything on this socket to one address."""

        async def door(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with suppress(OSError):
                await self._join((reader, writer), await asyncio.open_connection(*target))

        self._servers.append(await asyncio.start_server(self._counted(door), sock=listener))

    async def close(self) -> None:
        for server in self._servers:
            server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def _proxy(self):
        return self._counted(self._answer)

    def _counted(self, serve):
        """Each connection is a task that ends with the sandbox, and there are only so many at once."""

        async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task
            self._tasks.add(task)
            try:
                if len(self._tasks) <= AT_ONCE:
                    await serve(reader, writer)
            except (OSError, asyncio.CancelledError):
                pass  # the other side has gone, or the sandbox has
            finally:
                self._tasks.discard(task)
                writer.close()

        return one

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                head = await reader.readuntil(b"\r\n\r\n")
            method, target, version, headers = _parsed(head)
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError, ValueError):
            writer.write(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
            return
        place = urlsplit(f"//{target}" if method == "CONNECT" else target)
        try:
            host, port = place.hostname or "", place.port or (443 if method == "CONNECT" else 80)
        except ValueError:
            host, port = "", 0
        try:
            if not host or (method != "CONNECT" and place.scheme != "http"):
                raise Blocked("only http:// and CONNECT are understood")
            outside = await self._dialer.dial(self._policy, host, port)
        except Blocked as blocked:
            self._note(ReachedHost(host, port, str(blocked)))
            body = f"hq's sandbox does not connect to {host}:{port}: {blocked}\n".encode()
            writer.write(
                b"HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body
            )
            with suppress(OSError):
                await writer.drain()
            return
        self._note(ReachedHost(host, port))
        if method == "CONNECT":
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        else:
            path = (place.path or "/") + (f"?{place.query}" if place.query else "")
            lines = [f"{method} {path} {version}".encode(), b"Host: " + place.netloc.rpartition("@")[2].encode()]
            outside[1].write(b"\r\n".join([*lines, *headers, b"Connection: close", b"", b""]))
        await self._join((reader, writer), outside)

    async def _join(self, inside: Connection, outside: Connection) -> None:
        ways = [
            asyncio.ensure_future(_pour(inside[0], outside[1])),
            asyncio.ensure_future(_pour(outside[0], inside[1])),
        ]
        try:
            await asyncio.gather(*ways)
        finally:
            for way in ways:
                way.cancel()
            outside[1].close()

    def _note(self, reached: ReachedHost) -> None:
        if len(self.reached) < KEPT:
            self.reached.append(reached)
        elif not reached.refused:  # however often it was refused before, that it was let shows
            self.reached[-1] = reached


def _parsed(head: bytes) -> tuple[str, str, str, Sequence[bytes]]:
    first, *lines = head[:-4].split(b"\r\n")
    method, target, version = first.decode("ascii").split(" ")
    dropped = (b"proxy-", b"connection:", b"host:")
    return method, target, version, [line for line in lines if not line.lower().startswith(dropped)]


async def _pour(source: asyncio.StreamReader, into: asyncio.StreamWriter) -> None:
    while piece := await source.read(PIECE):
        into.write(piece)
        await into.drain()
    if into.can_write_eof():
        into.write_eof()
