"""`/mcp`: the Model Context Protocol over streamable HTTP. Loaded by the first request: most homes never get one."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import psycopg
import structlog
from psycopg_pool import PoolTimeout
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from hq.api.calls import BODY_LIMIT
from hq.api.credentials import bearer_of
from hq.api.guard import Hosts
from hq.api.oauth.address import MCP, challenge, origin_of
from hq.api.oauth.capsules import ACCESS, Capsules
from hq.api.problems import HttpError, refusal
from hq.database.rows import RowReader
from hq.door.caller import token_hash
from hq.door.door import Door
from hq.door.driver_errors import translated
from hq.errors import Refused
from hq.guard.vault import Vault
from hq.headquarters import Headquarters
from hq.stream.hub import Hub

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from hq.mcp.server import HqServer

log = structlog.get_logger("hq.mcp")


class HeldToken(NamedTuple):
    token: str
    """As the door knows it."""
    owner: str
    """To whom a session belongs that is opened with it: the token itself, or the permission by which it is renewed."""

    @property
    def header(self) -> tuple[bytes, bytes]:
        return b"authorization", f"Bearer {self.token}".encode()


class McpFace:
    """An ASGI endpoint. Who asks is checked before a byte of the protocol is read."""

    def __init__(
        self, hq: Headquarters, make: Callable[[Door, Hub], HqServer] | None = None, hub: Hub | None = None
    ) -> None:
        self._hq = hq
        self._hub = hub or Hub(hq.address.app_url, hq.door.pool, hq.clock)
        self._hosts = Hosts(hq.settings)
        self._capsules = Capsules(hq.door.services[Vault])
        self._make = make or _make
        self._starting: asyncio.Task[StreamableHTTPSessionManager] | None = None
        self._running: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        self._check_origin(request.headers.get("origin"))
        sent = bearer_of(request)
        held = self._held(request, sent) if sent else None
        if held is None or not await self._is_live(held.token):
            error = Refused.unauthenticated(
                "no valid credential: send `Authorization: Bearer <token>`",
                hint="`hq auth token --agent NAME` prints one, and clients that speak OAuth get one by themselves",
            )
            header = {"WWW-Authenticate": challenge(request, sent=sent is not None)}
            await refusal(request, error, header)(scope, receive, send)
            return
        manager = await self._manager()
        headers = [*((name, value) for name, value in scope["headers"] if name != b"authorization"), held.header]
        await manager.asgi_app({**scope, "headers": headers, "user": _user(held.owner)}, receive, send)

    async def stop(self) -> None:
        """End every session, so that no open stream holds up the end of the server."""
        if self._running:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)

    def _check_origin(self, origin: str | None) -> None:
        """A page elsewhere whose name is made to point here does not get in, even if it found a token."""
        if origin is None:
            return
        try:
            self._hosts.check(urlsplit(origin).netloc)
        except (HttpError, ValueError):
            raise Refused.forbidden(
                f"requests from pages of {origin!r} are not taken; add its name to HQ_ALLOWED_HOSTS if they should be"
            ) from None

    def _held(self, request: Request, sent: str) -> HeldToken | None:
        """The credential in what was sent. One that OAuth gave out is sealed, and good for this address alone."""
        if not sent.startswith(ACCESS):
            return HeldToken(sent, sent)
        found = self._capsules.access(sent, f"{origin_of(request)}{MCP}")
        return HeldToken(found.secret, found.grant) if found else None

    async def _is_live(self, token: str) -> bool:
        try:
            async with self._hq.door.pool.connection() as conn:
                now = self._hq.door.clock.now()
                given = [token_hash(token), now]
                return await RowReader(conn).the_scalar("select ops.is_live(%s, %s)", given, of=bool)
        except (psycopg.Error, PoolTimeout) as error:
            raise translated(error) from error

    async def _manager(self) -> StreamableHTTPSessionManager:
        if self._starting is None:
            self._starting = asyncio.create_task(self._start())
        return await asyncio.shield(self._starting)

    async def _start(self) -> StreamableHTTPSessionManager:
        await asyncio.to_thread(_load)  # a second of imports must not hold up everybody else
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        made = self._make(self._hq.door, self._hub)
        manager = StreamableHTTPSessionManager(made.server, event_store=made.events, max_request_body_size=BODY_LIMIT)
        started = asyncio.Event()
        self._running = asyncio.create_task(_run(manager, started))
        await started.wait()
        return manager


async def _run(manager: StreamableHTTPSessionManager, started: asyncio.Event) -> None:
    async with manager.run():
        started.set()
        await asyncio.Event().wait()


def _load() -> None:
    import hq.mcp.server  # noqa: F401


def _make(door: Door, hub: Hub) -> HqServer:
    from hq.mcp.door_calls import DirectCalls
    from hq.mcp.server import HqServer

    return HqServer(DirectCalls(door, hub), lambda: door.registry)


def _user(owner: str) -> Any:
    """Binds a session to whoever opened it. What a request may do, its own token decides at the door."""
    from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
    from mcp.server.auth.provider import AccessToken

    name = hashlib.sha256(owner.encode()).hexdigest()
    return AuthenticatedUser(AccessToken(token=name, client_id=name, scopes=[]))
