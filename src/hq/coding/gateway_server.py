"""The gateway's server: one mind on a free port of this machine, for the length of one run."""

from __future__ import annotations

import asyncio
import hmac
import secrets
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import uvicorn
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from hq.coding.gateway import Gateway
from hq.minds.mind import Mind
from hq.minds.provider_apis.server import create_app


@asynccontextmanager
async def serve_mind(mind: Mind) -> AsyncIterator[Gateway]:
    """Serve a mind on a free port of this machine, to whoever has the key."""
    key = secrets.token_urlsafe(24)
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        server = _Server(
            uvicorn.Config(
                _Guarded(create_app(mind), key),
                log_config=None,
                access_log=False,
                server_header=False,
                lifespan="off",
                ws="none",
                timeout_graceful_shutdown=1,
            )
        )
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield Gateway(listener.getsockname(), key)
        finally:
            server.should_exit = True
            await asyncio.gather(serving, return_exceptions=True)
            # What is cut off by the end is settled before anybody tells what the run took.
            await asyncio.gather(*server.server_state.tasks, return_exceptions=True)


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield  # signals belong to whoever runs us


class _Guarded:
    """Only with the run's own key, and only to ask: another program of this machine gets nothing here."""

    def __init__(self, app: ASGIApp, key: str) -> None:
        self._app = app
        self._key = key.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers: dict[bytes, bytes] = dict(scope.get("headers") or ())
        given = headers.get(b"x-api-key") or headers.get(b"authorization", b"").removeprefix(b"Bearer ")
        if not hmac.compare_digest(given, self._key):
            await _refuse(401, "this server is open to one program only")(scope, receive, send)
        elif scope["path"].endswith("/count_tokens"):  # counting would be asking, and cost as much
            await _refuse(404, "tokens are not counted here")(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def _refuse(status: int, why: str) -> Any:
    return JSONResponse({"type": "error", "error": {"type": "authentication_error", "message": why}}, status)
