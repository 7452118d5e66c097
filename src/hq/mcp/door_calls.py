"""Calls to the door for protocol requests: with whose token, and over which line. Both faces give one to the server."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from hq.errors import ErrorDetail, HqError, Refused
from hq.json_types import CallArgs, CallResult

if TYPE_CHECKING:
    from hq.door.door import Door
    from hq.door.outcome import ResultContract
    from hq.stream.follow import Following
    from hq.stream.hub import Hub


class VerbRequest(NamedTuple):
    """A verb call, without who asks: the line knows that."""

    verb: str
    args: CallArgs
    key: str | None = None
    reason: str = ""
    at: str | None = None
    known_at: str | None = None


class CallRoute(Protocol):
    async def call(self, ask: VerbRequest, request: Any) -> ResultContract:
        """Make the call for whoever sent `request` (what the transport attached; nothing on stdio)."""
        ...

    def events(self, after: str | None, request: Any) -> AbstractAsyncContextManager[AsyncIterator[Mapping[str, Any]]]:
        """The events that this caller sees, behind a position or from now on, until its credential ends."""
        ...


class DirectCalls:
    """Straight to the door of this process."""

    def __init__(self, door: Door, hub: Hub, token: str | None = None, actor: str | None = None) -> None:
        self._door = door
        self._hub = hub
        self._token = token
        self._actor = actor

    async def call(self, ask: VerbRequest, request: Any) -> ResultContract:
        token = self._token or bearer(request)
        if not token:
            return failed(ask.verb, Refused.unauthenticated("no credential: send `Authorization: Bearer <token>`"))
        from hq.door.tx import Call

        outcome = await self._door.call(
            Call(
                ask.verb,
                ask.args,
                token,
                key=ask.key,
                reason=ask.reason,
                actor=self._actor,
                at=ask.at,
                known_at=ask.known_at,
            )
        )
        return outcome.as_dict()

    @asynccontextmanager
    async def events(self, after: str | None, request: Any) -> AsyncIterator[AsyncIterator[Mapping[str, Any]]]:
        from hq.stream.events_view import EventsView
        from hq.stream.follow import Following

        opened = await opened_events(self, after, request)
        async with Following(self._hub, EventsView(self._door.catalogue, opened)) as following:
            yield _told(following)


async def _told(following: Following) -> AsyncIterator[Mapping[str, Any]]:
    async for frames in following.frames():
        for frame in frames:
            if frame.name is None:
                yield json.loads(frame.data)  # type: ignore[arg-type] (events are told as JSON)


async def opened_events(route: CallRoute, after: str | None, request: Any) -> CallResult:
    """What `events.tail` opens for this caller."""
    contract = await route.call(VerbRequest("events.tail", {"after": after} if after else {}), request)
    if not contract["ok"]:
        error = error_of(contract)
        raise Refused(error["message"], code=error["code"])
    return contract["data"]


def bearer(request: Any) -> str | None:
    """Each request is its sender's own, whatever session it names."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ") if request is not None else ("", "", "")
    return token.strip() or None if scheme.lower() == "bearer" else None


def error_of(contract: ResultContract) -> ErrorDetail:
    """What went wrong; one that says nothing is a bug."""
    return contract["error"] or {"code": "defect", "message": "the call failed without a reason"}


def failed(verb: str, error: HqError) -> ResultContract:
    """The contract of a call that never reached the door."""
    return {
        "ok": False,
        "action": verb.partition(".")[2] or verb,
        "data": None,
        "audit_event_id": None,
        "trace_id": None,
        "error": error.as_dict(),
        "sequence": None,
    }
