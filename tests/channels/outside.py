"""A web server on this machine that answers as a test tells it to, byte by byte."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

Say = Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Outside:
    url: str = ""
    pages: dict[str, bytes | Say] = field(default_factory=dict)
    """By path: the whole answer as bytes, or what writes it."""
    heard: list[str] = field(default_factory=list)
    """Every request as it came."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            length = next(
                (int(line[15:]) for line in head.lower().splitlines() if line.startswith("content-length:")), 0
            )
            self.heard.append(head + (await reader.readexactly(length)).decode())
            page = self.pages[head.split()[1].partition("?")[0]]
            if isinstance(page, bytes):
                writer.write(page)
                await writer.drain()
            else:
                await page(writer)
        except OSError:  # the other side hung up, which is what some tests are about
            pass
        finally:
            writer.close()


@asynccontextmanager
async def outside() -> AsyncIterator[Outside]:
    made = Outside()
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield made
    finally:
        server.close()


def page(body: bytes | str, media_type: str = "text/plain", status: int = 200, **headers: str) -> bytes:
    body = body.encode() if isinstance(body, str) else body
    more = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    head = f"HTTP/1.1 {status} Said\r\nContent-Type: {media_type}\r\nContent-Length: {len(body)}\r\n{more}\r\n"
    return head.encode() + body


def sent_on(where: str, status: int = 302) -> bytes:
    return page("", status=status, Location=where)
