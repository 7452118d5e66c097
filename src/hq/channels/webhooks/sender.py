"""One attempt at an address that was judged: no redirects, a time-out, and only the status read back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass

from hq.channels.egress.address import EgressPolicy
from hq.channels.egress.client import EgressClient, EgressRequest, error_text
from hq.errors import HqError

TIMEOUT = 15.0
GONE = 410


def manners(allow_private: bool) -> EgressPolicy:
    """Where a webhook may go."""
    hint = "--allow-private allows it, if events are really meant to go there"
    return EgressPolicy(private=allow_private, plain=allow_private, hint=hint)


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
        self._out = EgressClient()

    async def close(self) -> None:
        await self._out.close()

    async def send(self, url: str, body: bytes, headers: Mapping[str, str], *, allow_private: bool) -> Attempt:
        return await self._attempt("POST", url, body, {**headers, "content-type": "application/json"}, allow_private)

    async def look(self, url: str, *, allow_private: bool) -> Attempt:
        """Ask whether an address answers, and nothing else."""
        return await self._attempt("GET", url, b"", {}, allow_private)

    async def _attempt(
        self, method: str, url: str, body: bytes, headers: Mapping[str, str], allow_private: bool
    ) -> Attempt:
        import httpx2  # only who sends pays for it

        started = time.perf_counter()
        try:
            async with asyncio.timeout(TIMEOUT):  # in all, however slowly it speaks
                # What it says beside its status is outside content that nobody asked for: it is not even read.
                async with self._out.sent(
                    EgressRequest(method, url, headers, body), manners(allow_private)
                ) as response:
                    status = response.status_code
        except HqError as error:
            return Attempt(False, error=error.message, milliseconds=_since(started))
        except (TimeoutError, httpx2.TimeoutException):
            return Attempt(False, error=f"no answer within {TIMEOUT:g} seconds", milliseconds=_since(started))
        except (httpx2.HTTPError, OSError) as error:
            return Attempt(False, error=error_text(error), milliseconds=_since(started))
        if 200 <= status < 300:
            return Attempt(True, status, milliseconds=_since(started))
        redirected = " (redirects are not followed)" if 300 <= status < 400 else ""
        return Attempt(False, status, f"it answered {status}{redirected}", _since(started))


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
