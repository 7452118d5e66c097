"""Around every request: the Host it may name, the headers its answer carries, its trace, and no naked defect."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import MutableMapping
from typing import Any

import structlog
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hq.api.problems import HttpError, refusal
from hq.errors import Defect
from hq.ids import new_id, trace_name
from hq.settings import Settings

log = structlog.get_logger("hq.api")
LOOPBACK = ("127.0.0.1", "localhost", "::1")
HOST = re.compile(r"(\[[0-9A-Fa-f:.%]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?")
ANYWHERE = ("0.0.0.0", "::")
HEADERS = (
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)


class Guard:
    """ASGI middleware, outermost of all."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._hosts = Hosts(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        trace_id = new_id()
        scope["state"] = {**scope.get("state", {}), "trace_id": trace_id}
        answer = HeaderedSend(send, trace_name(trace_id))
        with structlog.contextvars.bound_contextvars(trace_id=trace_name(trace_id), path=scope["path"]):
            await self._serve(scope, receive, answer)

    async def _serve(self, scope: Scope, receive: Receive, answer: HeaderedSend) -> None:
        request = Request(scope)
        try:
            self._hosts.check(request.headers.get("host", ""))
            await self._app(scope, receive, answer)
        except ClientDisconnect:
            return  # nobody is left to answer
        except HttpError as error:
            await refusal(request, error)(scope, receive, answer)
        except Exception:
            log.exception("defect")
            if answer.started:
                raise
            defect = Defect("something went wrong inside hq; `hq logs` has the details")
            await refusal(request, defect)(scope, receive, answer)


class HeaderedSend:
    """Sends on, with the headers that the answer does not set itself."""

    def __init__(self, send: Send, request: str) -> None:
        self._send = send
        self._request = request
        """Its name, under which the log and the ledger have it."""
        self.started = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            _complete(message, self._request)
        await self._send(message)


def _complete(message: MutableMapping[str, Any], request: str) -> None:
    there = {name.lower() for name, _ in message["headers"]}
    message["headers"] = [*message["headers"], *(pair for pair in HEADERS if pair[0] not in there)]
    message["headers"].append((b"x-request-id", request.encode()))


class Hosts:
    """The names this server answers to. A page elsewhere whose name is made to point here does not get in."""

    def __init__(self, settings: Settings) -> None:
        self._names = {name.lower() for name in (*LOOPBACK, settings.host, *settings.allowed_hosts)}
        self._any_address = settings.host in ANYWHERE

    def check(self, header: str) -> None:
        name = host_name(header)
        if name in self._names or (self._any_address and _is_address(name)):
            return
        raise HttpError(
            421, f"this server is not {name or 'nameless'!r}; add the name to HQ_ALLOWED_HOSTS if it should be"
        )


def host_name(header: str) -> str:
    """The name in a Host header, without port and brackets; none where there is more to it than that."""
    if not HOST.fullmatch(header):
        return ""
    if header.startswith("["):
        return header[1:].partition("]")[0].lower()
    return header.partition(":")[0].lower().rstrip(".")


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
