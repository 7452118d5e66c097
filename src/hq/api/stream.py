"""Streams over HTTP: every address that can be followed opens a verb, and one response tells what a view sees."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from hq import sse
from hq.api.credentials import token_of
from hq.api.problems import problem, trace_of
from hq.chat.conversation_view import ConversationView, Frames, PlainFrames
from hq.door.door import Door
from hq.door.tx import Call
from hq.json_types import CallArgs, CallResult
from hq.sessions.session_view import SessionStreamView
from hq.stream.events_view import EventsView
from hq.stream.follow import Following, StreamView
from hq.stream.hub import Hub
from hq.web.stream_html import HtmlFrames

STALLED = 60.0
"""Seconds a reader may take no byte before its connection is given up; it comes back where it was."""
RETRY = 2000
"""Milliseconds after which a browser comes back."""
HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"x-accel-buffering", b"no"),  # or nginx would keep events back
]


class Streams:
    """The addresses of what can be followed."""

    def __init__(self, door: Door, hub: Hub) -> None:
        self._door = door
        self._hub = hub

    async def events(self, request: Request) -> Response:
        """`GET /api/events`"""
        args = {"topics": request.query_params.getlist("topic")}
        return await self._follow(request, "events.tail", args, lambda data: EventsView(self._door.catalogue, data))

    async def session(self, request: Request) -> Response:
        """`GET /api/sessions/<id>/steps`"""
        args = {"id": request.path_params["id"]}
        return await self._follow(request, "session.tail", args, lambda data: SessionStreamView(self._door, data))

    async def conversation(self, request: Request) -> Response:
        """`GET /api/chat/stream`: as programs read it."""
        return await self._conversation(request, PlainFrames())

    async def page(self, request: Request) -> Response:
        """`GET /stream`: as our pages take it in."""
        return await self._conversation(request, HtmlFrames())

    async def _conversation(self, request: Request, frames: Frames) -> Response:
        agent = request.query_params.get("agent")
        args: CallArgs = {"agent": agent} if agent else {}
        return await self._follow(
            request, "chat.follow", args, lambda data: ConversationView(self._door, data, frames), retry=1000
        )

    async def _follow(
        self, request: Request, verb: str, args: CallArgs, view: Callable[[CallResult], StreamView], retry: int = RETRY
    ) -> Response:
        # A browser that comes back asks with the address it began with, and says in the header how far it came.
        if after := request.headers.get("last-event-id") or request.query_params.get("after"):
            args["after"] = after
        actor = request.headers.get("x-hq-actor")
        opened = await self._door.call(Call(verb, args, token_of(request), actor=actor, trace_id=trace_of(request)))
        if not opened.ok:
            return problem(opened)
        return StreamResponse(self._hub, view(opened.data), retry)


class StreamResponse(Response):
    """Sends as fast as the reader reads, and no faster."""

    def __init__(self, hub: Hub, view: StreamView, retry: int = RETRY) -> None:
        self._following = Following(hub, view)
        self._retry = retry
        self.background = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = {"type": "http.response.start", "status": 200, "headers": HEADERS}
        if scope["method"] == "HEAD":
            await send(start)
            await send({"type": "http.response.body", "body": b""})
            return
        async with self._following as following:
            await send(start)
            leaving = asyncio.create_task(_watch(receive, following))
            try:
                await self._tell(following, send)
            except TimeoutError:
                return
            finally:
                leaving.cancel()
        await send({"type": "http.response.body", "body": b""})

    async def _tell(self, following: Following, send: Send) -> None:
        await _send(send, sse.retry(self._retry))
        async for frames in following.frames():
            await _send(send, b"".join([sse.encode(frame.data, frame.name, frame.id) for frame in frames]))


async def _send(send: Send, body: bytes) -> None:
    async with asyncio.timeout(STALLED):
        await send({"type": "http.response.body", "body": body, "more_body": True})


async def _watch(receive: Receive, following: Following) -> None:
    """A reader who left is forgotten at once."""
    while (await receive())["type"] != "http.disconnect":
        pass
    following.leave()
