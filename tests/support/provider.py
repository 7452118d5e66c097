"""A provider on this machine: the scripted mind behind a real socket, which can be told to fail in every way."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest
import uvicorn

from hq.minds.provider_apis.server import create_app

KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY", "GROQ_API_KEY")


@dataclass(frozen=True)
class Fault:
    kind: Literal["status", "hang", "garbage", "cut", "ended", "stall"]
    """`cut` breaks the connection in the middle; `ended` closes it politely, too early; `stall` says no more until who asked is gone."""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b'{"type": "error", "error": {"type": "injected", "message": "injected"}}'
    after: int = 3
    """For a cut: how many chunks still come through."""


@dataclass
class Provider:
    """What the tests know of the server: where it is, what it was asked, and what it does wrong next."""

    url: str
    faults: list[Fault] = field(default_factory=list)
    seen: list[dict[str, Any]] = field(default_factory=list)

    def fail(self, status: int, times: int = 1, **headers: str) -> None:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        self.faults += [Fault("status", status, names)] * times

    def __call__(self, app: Any) -> Any:
        async def faulty(scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] != "http":
                return await app(scope, receive, send)
            body = await _whole(receive)
            headers = {k.decode(): v.decode() for k, v in scope["headers"]}
            self.seen.append({"path": scope["path"], "headers": headers, "body": _json(body)})

            left = [{"type": "http.request", "body": body, "more_body": False}]

            async def again() -> Any:
                return left.pop() if left else await receive()

            fault = self.faults.pop(0) if self.faults else None
            if fault is None:
                return await app(scope, again, send)
            if fault.kind == "stall":
                return await _stall(fault, app, scope, again, send)
            return await _misbehave(fault, app, scope, again, send)

        return faulty


def _json(body: bytes) -> Any:
    try:
        return json.loads(body or b"{}")
    except ValueError:
        return None


async def _whole(receive: Any) -> bytes:
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message.get("body", b""), message.get("more_body", False)
    return body


async def _stall(fault: Fault, app: Any, scope: Any, receive: Any, send: Any) -> None:
    sent = 0

    async def some(message: Any) -> None:
        nonlocal sent
        sent += message["type"] == "http.response.body"
        if sent > fault.after:
            await asyncio.Event().wait()  # until the app hears that who asked is gone, and ends this
        await send(message)

    await app(scope, receive, some)


async def _misbehave(fault: Fault, app: Any, scope: Any, receive: Any, send: Any) -> None:
    if fault.kind == "hang":
        await asyncio.sleep(30)
        return
    if fault.kind in ("cut", "ended"):
        sent = 0

        async def some(message: Any) -> None:
            nonlocal sent
            sent += message["type"] == "http.response.body"
            if sent > fault.after and fault.kind == "ended":
                if sent == fault.after + 1:
                    await send({"type": "http.response.body", "body": b"", "more_body": False})
                return
            if sent > fault.after:
                raise ConnectionResetError  # uvicorn closes the connection in the middle of the chunks
            await send(message)

        await app(scope, receive, some)
        return
    body = b'{"this is": not JSON' if fault.kind == "garbage" else fault.body
    headers = [(b"content-type", b"application/json")]
    headers += [(name.encode(), value.encode()) for name, value in fault.headers.items()]
    await send({"type": "http.response.start", "status": fault.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@pytest.fixture(scope="module")
def running() -> Iterator[Provider]:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(64)
    provider = Provider(f"http://127.0.0.1:{listener.getsockname()[1]}")
    server = uvicorn.Server(
        uvicorn.Config(provider(create_app()), log_config=None, lifespan="off", timeout_graceful_shutdown=1)
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    yield provider
    server.should_exit = server.force_exit = True
    thread.join(60)


@pytest.fixture
def provider(running: Provider) -> Provider:
    running.faults.clear()
    running.seen.clear()
    return running


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
