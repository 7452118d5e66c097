"""The HTTP face in process: requests go straight into the app, on the test's own database."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import pytest
from starlette.applications import Starlette

from hq.api.app import create_app
from hq.database.migrate import Migrated
from hq.headquarters import Headquarters
from hq.settings import Settings
from tests.support.streams import settings

__all__ = ["settings"]

OURS = "127.0.0.1:8300"


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def cookie(self) -> str:
        """What a browser would send back."""
        return self.headers["set-cookie"].partition(";")[0]


class Client:
    """As much of an HTTP client as the tests need."""

    def __init__(self, app: Starlette, token: str) -> None:
        self.app = app
        self.token = token

    async def call(
        self, verb: str, args: Any = None, token: str | None = None, query: str = "", **headers: str
    ) -> Answer:
        """POST a verb. Header names are written with underscores: `idempotency_key="k"`."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        wanted = {"authorization": f"Bearer {token or self.token}", "content-type": "application/json"} | named
        body = b"" if args is None else json.dumps(args).encode()
        return await self.send("POST", f"/api/{verb.replace('.', '/')}{query}", wanted, body)

    async def get(self, path: str, peer: str = "127.0.0.1", **headers: str) -> Answer:
        return await self.send("GET", path, {name.replace("_", "-"): v for name, v in headers.items()}, peer=peer)

    async def send(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes = b"", peer: str = "127.0.0.1"
    ) -> Answer:
        return await _exchange(self.app, self.scope(method, target, headers, peer), body)

    def scope(self, method: str, target: str, headers: Mapping[str, str], peer: str = "127.0.0.1") -> dict[str, Any]:
        place = urlsplit(target)
        return {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": place.path,
            "raw_path": place.path.encode(),
            "query_string": place.query.encode(),
            "headers": [(n.lower().encode(), v.encode()) for n, v in ({"host": OURS} | dict(headers)).items() if v],
            "client": (peer, 40000),
            "server": ("127.0.0.1", 8300),
        }


async def _exchange(app: Starlette, scope: dict[str, Any], body: bytes) -> Answer:
    sent: list[dict[str, Any]] = []
    chunks = [body[i : i + 65536] for i in range(0, len(body), 65536)] or [b""]

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": chunks.pop(0), "more_body": bool(chunks)}

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return Answer(sent[0]["status"], headers, b"".join(part.get("body", b"") for part in sent[1:]))


@pytest.fixture
def house(hq: Any, settings: Settings) -> Headquarters:
    return Headquarters(settings, hq.address, hq.door, hq.token, hq.clock, Migrated((), 1))


@pytest.fixture
def open_web(house: Headquarters) -> Callable[[], Client]:
    assert house.token
    token = house.token
    return lambda: Client(create_app(house, None), token)


@pytest.fixture
def web(open_web: Callable[[], Client]) -> Client:
    return open_web()
