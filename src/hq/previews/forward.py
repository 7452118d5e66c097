"""Forwarding of a request to an app in the sandbox, and of what it answers, with the headers that keep it apart.

As HTTP/1.0: one request a connection, an answer that ends with it, nothing that two parsers could read in two ways.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import suppress

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from hq.previews.response_headers import Headers, answered
from hq.sandbox.dialer import Connection

Connect = Callable[[], Awaitable[Connection]]
LARGEST = 32 << 20
HEAD = 64 << 10
PIECE = 64 << 10
PATIENCE = 60.0
"""Seconds an app has to begin its answer."""
HOPS = {
    b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"te", b"trailer", b"transfer-encoding",
    b"upgrade", b"proxy-connection", b"expect",
}  # fmt: skip
"""Headers that are for one hop only."""
NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class AppSilent(Exception):
    """It does not answer, or not in HTTP."""


class TooLarge(Exception):
    """More than is passed on at once."""


async def forwarded(request: Request, connect: Connect, authority: str, ours: str) -> Response:
    """What the app answers. `authority` is what a browser calls it, `ours` the cookie that is nobody's but the gate's."""
    body = await _body(request)
    try:
        reader, writer = await connect()
    except OSError as error:
        raise AppSilent("nothing listens") from error
    try:
        writer.write(b"".join(_request(request, body, ours)))
        async with asyncio.timeout(PATIENCE):
            await writer.drain()
            status, headers = _parsed(await reader.readuntil(b"\r\n\r\n"))
    except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError, ValueError) as error:
        writer.close()
        raise AppSilent(type(error).__name__) from error
    except BaseException:
        writer.close()
        raise
    answer = StreamingResponse(_poured(reader, writer, _announced(headers)), status)
    answer.raw_headers = answered(headers, authority, ours)
    return answer


async def _body(request: Request) -> bytes:
    found = bytearray()
    async for piece in request.stream():
        found += piece
        if len(found) > LARGEST:
            raise TooLarge
    return bytes(found)


def _request(request: Request, body: bytes, ours: str) -> Iterator[bytes]:
    query = request.scope["query_string"]
    path = request.scope["raw_path"] + (b"?" + query if query else b"")
    yield b"%s %s HTTP/1.0\r\n" % (request.method.encode(), path)
    for name, value in request.scope["headers"]:
        if name in HOPS or name == b"content-length":
            continue
        if name == b"cookie":
            value = b"; ".join(part for part in map(bytes.strip, value.split(b";")) if _named(part) != ours.encode())
            if not value:
                continue
        yield b"%s: %s\r\n" % (name, value)
    if body or request.method in ("POST", "PUT", "PATCH"):
        yield b"content-length: %d\r\n" % len(body)
    yield b"connection: close\r\n\r\n" + body


def _named(cookie: bytes) -> bytes:
    return cookie.partition(b"=")[0].strip()


def _parsed(head: bytes) -> tuple[int, Headers]:
    first, *lines = head[:-4].split(b"\r\n")
    version, status, *_ = first.split(b" ", 2)
    if not version.startswith(b"HTTP/1.") or not 200 <= int(status) <= 599:
        raise ValueError("no HTTP")
    found: Headers = []
    for line in lines:
        name, colon, value = line.partition(b":")
        if not colon or not NAME.fullmatch(name) or b"\n" in value or b"\r" in value or b"\0" in value:
            raise ValueError("no header")
        found.append((name.lower(), value.strip()))
    return int(status), found


def _announced(headers: Headers) -> int | None:
    """How long the answer says it is."""
    said = next((value for name, value in headers if name == b"content-length"), b"")
    return int(said) if said.isdigit() else None


async def _poured(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, length: int | None
) -> AsyncIterator[bytes]:
    """Up to its end, or to where it said that it ends."""
    try:
        with suppress(ConnectionError):
            while (length is None or length) and (piece := await reader.read(min(PIECE, length or PIECE))):
                yield piece
                length = None if length is None else length - len(piece)
    finally:
        writer.close()
