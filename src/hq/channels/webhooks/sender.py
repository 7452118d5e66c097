"""One attempt: a signed POST to an address that was judged, no redirects, a time-out, and only the status read back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass

import httpx2

from hq import __version__
from hq.channels.webhooks.address import resolve
from hq.errors import HqError

TIMEOUT = 15.0
GONE = 410


@dataclass(frozen=True)
class Attempt:
    ok: bool
    status: int | None = None
    error: str | None = None
    milliseconds: float = 0.0

    @property
    def gone(self) -> bool:
        return self.status == GONE


class Sender:
    def __init__(self) -> None:
        # No proxy of the environment: it would connect to what it finds itself. No kept connections: they go by address.
        self._client = httpx2.AsyncClient(
            trust_env=False,
            follow_redirects=False,
            timeout=TIMEOUT,
            limits=httpx2.Limits(max_connections=100, max_keepalive_connections=0),
        )

    async def close(self) -> None:
        await self._client.aclose()

    async def send(self, url: str, body: bytes, headers: Mapping[str, str], *, allow_private: bool) -> Attempt:
        started = time.perf_counter()
        try:
            async with asyncio.timeout(TIMEOUT):  # in all, however slowly it speaks
                status = await self._post(url, body, headers, allow_private)
        except HqError as error:
            return Attempt(False, error=error.message, milliseconds=_since(started))
        except (TimeoutError, httpx2.TimeoutException):
            return Attempt(False, error=f"no answer within {TIMEOUT:g} seconds", milliseconds=_since(started))
        except (httpx2.HTTPError, OSError) as error:
            return Attempt(False, error=f"{type(error).__name__}: {error}"[:300], milliseconds=_since(started))
        if 200 <= status < 300:
            return Attempt(True, status, milliseconds=_since(started))
        redirected = " (redirects are not followed)" if 300 <= status < 400 else ""
        return Attempt(False, status, f"it answered {status}{redirected}", _since(started))

    async def _post(self, url: str, body: bytes, headers: Mapping[str, str], allow_private: bool) -> int:
        target = await resolve(url, allow_private=allow_private)
        request = self._client.build_request(
            "POST",
            target.url,
            content=body,
            headers={
                **headers,
                "host": target.host,
                "content-type": "application/json",
                "user-agent": f"hq/{__version__}",
            },
            extensions={"sni_hostname": target.name},
        )
        # What it says beside its status is outside content that nobody asked for: it is not even read.
        response = await self._client.send(request, stream=True)
        await response.aclose()
        return response.status_code


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
