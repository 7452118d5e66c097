"""`GET /api/events`: a company's events as a stream that a browser's EventSource or `curl -N` can follow.

Every event carries its `id`, and in `prev` the id that was sent before it: whoever last saw another one missed something.
"""

from __future__ import annotations

import asyncio
import json
from uuid import UUID

from psycopg import Error as DatabaseError
from psycopg_pool import PoolTimeout
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from hq.api.credentials import token_of
from hq.api.problems import problem, trace_of
from hq.door.door import Door
from hq.door.tx import Call
from hq.engine.feed import Feed
from hq.engine.position import Position
from hq.engine.subscription import Beat, Ended, Subscription, Told
from hq.engine.topics import Topics

STALLED = 60.0
"""Seconds a reader may take no byte before its connection is given up; it comes back where it was."""
RETRY = 2000  # milliseconds after which a browser comes back
HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"x-accel-buffering", b"no"),  # or nginx would keep events back
]


class Events:
    def __init__(self, door: Door, feed: Feed) -> None:
        self._door = door
        self._feed = feed

    async def follow(self, request: Request) -> Response:
        asked = request.query_params
        args: dict[str, object] = {"topics": asked.getlist("topic")}
        # A browser that comes back asks with the address it began with, and says in the header how far it came.
        if after := request.headers.get("last-event-id") or asked.get("after"):
            args["after"] = after
        call = Call(
            "events.tail", args, token_of(request), actor=request.headers.get("x-hq-actor"), trace_id=trace_of(request)
        )
        opened = await self._door.call(call)
        if not opened.ok:
            return problem(opened)
        return EventStream(self._feed, opened.data)


class EventStream(Response):
    """Sends as fast as the reader reads, and no faster."""

    def __init__(self, feed: Feed, opened: dict[str, str]) -> None:
        self._feed = feed
        self._opened = opened
        self._last = opened["after"]
        self.background = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        opened = self._opened
        following = self._feed.subscribe(
            UUID(opened["tenant_id"]),
            UUID(opened["credential"]),
            Topics(opened["topics"]),
            Position.parse(opened["after"]),
        )
        if scope["method"] == "HEAD":
            await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
            await send({"type": "http.response.body", "body": b""})
            return
        async with following as subscription:
            await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
            leaving = asyncio.create_task(_watch(receive, subscription))
            try:
                await self._tell(subscription, send)
            finally:
                leaving.cancel()

    async def _tell(self, subscription: Subscription, send: Send) -> None:
        await _send(send, f"retry: {RETRY}\n".encode() + _named("ready", {"after": self._last}, self._last))
        while True:
            try:
                message = await subscription.next()
            except (DatabaseError, PoolTimeout, OSError):
                message = Ended("the database does not answer; come back in a moment")
            try:
                await _send(send, self._written(message))
            except TimeoutError:
                return
            if isinstance(message, Ended):
                await send({"type": "http.response.body", "body": b""})
                return

    def _written(self, message: Told | Beat | Ended) -> bytes:
        match message:
            case Told(events):
                return b"".join([self._event(event.told(self._last), str(event.position)) for event in events])
            case Beat(position):
                beat = _named("heartbeat", {"after": str(position), "prev": self._last}, str(position))
                self._last = str(position)
                return beat
            case Ended(why):
                return _named("end", {"why": why, "after": self._last}, self._last)

    def _event(self, told: bytes, id_: str) -> bytes:
        self._last = id_
        return b"id: " + id_.encode() + b"\ndata: " + told + b"\n\n"


def _named(name: str, data: dict[str, str], id_: str) -> bytes:
    return f"event: {name}\nid: {id_}\ndata: {json.dumps(data)}\n\n".encode()


async def _send(send: Send, body: bytes) -> None:
    async with asyncio.timeout(STALLED):
        await send({"type": "http.response.body", "body": body, "more_body": True})


async def _watch(receive: Receive, subscription: Subscription) -> None:
    """A reader who left is forgotten at once."""
    while (await receive())["type"] != "http.disconnect":
        pass
    subscription.end("the reader left")
