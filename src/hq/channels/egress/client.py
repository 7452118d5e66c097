"""Requests to addresses that were judged: each connection and each redirect anew, with limits on time and size."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import unquote, urljoin, urlsplit

from hq import __version__
from hq.channels.egress.address import EgressPolicy, EgressTarget, resolve
from hq.channels.egress.decompression import Decoder
from hq.channels.egress.headers import check_headers
from hq.errors import Refused

if TYPE_CHECKING:  # loaded by whoever goes out, not by every command
    import httpx2

CONNECT = 15.0
REDIRECTS = (301, 302, 303, 307, 308)
MOST_REDIRECTS = 5


@dataclass(frozen=True)
class EgressRequest:
    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Headers for what lies within its home: a redirect elsewhere goes without them."""
    home: str = ""
    """Where that begins; left empty, it is the whole server."""

    def at_home(self, url: str) -> bool:
        return within(url, self.home) if self.home else origin(url) == origin(self.url)


@dataclass(frozen=True)
class EgressResponse:
    status: int
    url: str
    """Where it came from in the end."""
    headers: Mapping[str, str]
    body: bytes
    complete: bool
    """False where it went on beyond the limit."""

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower() or "application/octet-stream"


class EgressClient:
    """The client that everything here goes out by."""

    @cached_property
    def _client(self) -> httpx2.AsyncClient:
        import httpx2

        # No proxy of the environment: it would connect to what it finds itself. No kept connections: they go by address.
        return httpx2.AsyncClient(
            trust_env=False,
            follow_redirects=False,
            timeout=httpx2.Timeout(None, connect=CONNECT),
            limits=httpx2.Limits(max_connections=100, max_keepalive_connections=0),
        )

    async def close(self) -> None:
        if "_client" in self.__dict__:
            await self._client.aclose()

    @asynccontextmanager
    async def sent(self, request: EgressRequest, manners: EgressPolicy) -> AsyncIterator[httpx2.Response]:
        """One request, without redirects; what it answers is not read yet."""
        async with self._asked(request, await resolve(request.url, manners)) as response:
            yield response

    @asynccontextmanager
    async def _asked(self, request: EgressRequest, target: EgressTarget) -> AsyncIterator[httpx2.Response]:
        import httpx2

        check_headers(request.headers, request.secrets)
        made = self._client.build_request(
            request.method,
            target.url,
            content=request.body or None,
            headers={
                "user-agent": f"hq/{__version__}",
                "accept": "*/*",
                "accept-encoding": "gzip, deflate",
                **{name.lower(): value for name, value in {**request.headers, **request.secrets}.items()},
                "host": target.host,
            },
            extensions={"sni_hostname": target.name},
        )
        try:
            response = await self._client.send(made, stream=True)
        except httpx2.InvalidURL:  # it looks at where it is sent on to, although it is not to go there
            raise _astray(request) from None
        try:
            yield response
        finally:
            await response.aclose()

    async def fetch(
        self,
        request: EgressRequest,
        manners: EgressPolicy,
        *,
        elsewhere: EgressPolicy | None = None,
        most: int,
        seconds: float,
    ) -> EgressResponse:
        """Ask, follow redirects, and read at most so many bytes within so many seconds in all.

        What is allowed at the first address is not thereby allowed `elsewhere`; and only what changes nothing is
        sent on to another server.
        """
        import httpx2

        try:
            async with asyncio.timeout(seconds):
                return await self._followed(request, manners, elsewhere or manners, most)
        except (TimeoutError, httpx2.TimeoutException):
            raise Refused(
                f"{_host(request)} did not answer in full within {seconds:g} seconds", code="outage"
            ) from None
        except (httpx2.HTTPError, OSError) as error:
            raise Refused(f"{_host(request)} cannot be asked: {error_text(error)}", code="outage") from None

    async def _followed(
        self, request: EgressRequest, manners: EgressPolicy, elsewhere: EgressPolicy, most: int
    ) -> EgressResponse:
        first, target = request, await resolve(request.url, manners)
        for _ in range(MOST_REDIRECTS + 1):
            async with self._asked(request, target) as response:
                where = response.headers.get("location")
                if response.status_code not in REDIRECTS or not where:
                    return await _answer(request, response, most)
                onward = _onward(request, response.status_code, where)
                if origin(onward.url) != origin(request.url) and onward.method not in ("GET", "HEAD"):
                    return await _answer(request, response, most)
            if not request.at_home(onward.url):
                manners = elsewhere
            try:
                target = await resolve(onward.url, manners)
            except Refused as error:  # the address is the server's words: only what it amounts to is told
                raise _astray(first, error.code.name) from None
            request = onward
        raise Refused(f"{_host(first)} sends on and on, more than {MOST_REDIRECTS} times", code="outage")


async def _answer(request: EgressRequest, response: httpx2.Response, most: int) -> EgressResponse:
    decoder = Decoder(response.headers.get("content-encoding", ""), most)
    async for chunk in response.aiter_raw():
        decoder.feed(chunk)
        if decoder.full or decoder.over:
            break
    headers = {name.lower(): value for name, value in response.headers.items()}
    return EgressResponse(response.status_code, request.url, headers, decoder.content, not decoder.full)


def _onward(request: EgressRequest, status: int, where: str) -> EgressRequest:
    try:
        url = urljoin(request.url, where)
        home = request.at_home(url)
    except ValueError:
        raise _astray(request) from None
    method, body, headers = request.method, request.body, request.headers
    if status == 303 or (status in (301, 302) and method == "POST"):  # as every browser does
        method, body = ("HEAD" if method == "HEAD" else "GET"), b""
        headers = {name: value for name, value in headers.items() if not name.lower().startswith("content-")}
    return EgressRequest(method, url, headers, body, request.secrets if home else {}, request.home)


def origin(url: str) -> tuple[str, str, int | None]:
    """Scheme, host and port: what a credential belongs to."""
    place = urlsplit(url)
    return place.scheme, place.hostname or "", place.port or {"https": 443, "http": 80}.get(place.scheme)


def within(url: str, beginning: str) -> bool:
    """Whether it lies below an address, also for a server that reads %2e and %2f before it walks the path."""
    path, start = urlsplit(url).path or "/", urlsplit(beginning).path.rstrip("/")
    plain = path
    while (read := unquote(plain)) != plain:
        plain = read
    below = path == start or path.startswith(start + "/")
    return origin(url) == origin(beginning) and below and ".." not in re.split(r"[/\\;]", plain)


def error_text(error: Exception) -> str:
    """Why it failed, in our words or this machine's. What a server sent is not repeated: nobody would mark it."""
    import httpx2

    if isinstance(error, httpx2.ProtocolError):
        return "it hung up, or what it sends is not HTTP"
    return f"{type(error).__name__}: {error}"[:300]


def _host(request: EgressRequest) -> str:
    return urlsplit(request.url).hostname or "the server"


def _astray(request: EgressRequest, code: str = "outage") -> Refused:
    return Refused(f"{_host(request)} sends on to an address that cannot be asked, or may not be", code=code)
