"""`GET /api/chat/stream`: a conversation as it happens; lines, the words on their way, and how the other end is."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from psycopg import Error as DatabaseError
from psycopg_pool import PoolTimeout
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from hq.api.credentials import token_of
from hq.api.problems import problem, trace_of
from hq.ceo.following import Seen, follow, spoken
from hq.ceo.lines import Place
from hq.ceo.words import Growing
from hq.door.door import Door
from hq.door.tx import Call
from hq.engine.feed import Feed

Frames = Callable[[Seen], AsyncIterator[tuple[str, Any]]]
"""What a reader is told of something new, each with its name."""


class ChatStream:
    def __init__(self, door: Door, feed: Feed) -> None:
        self._door = door
        self._feed = feed

    async def follow(self, request: Request) -> Response:
        return await stream(self._door, self._feed, request, Plain())


class Plain:
    """Frames as programs read them: JSON, text as it was written."""

    def __init__(self) -> None:
        self._draft = Growing()

    async def __call__(self, seen: Seen) -> AsyncIterator[tuple[str, Any]]:
        for line in seen.lines:
            yield "line", line.as_dict()
        if (found := seen.standing) is None:
            return
        if found.draft and (change := self._draft.became(found.step, spoken(found))):
            yield "draft", {"session": found.session, "step": found.step, "at": change.at, "text": change.text}
        yield "status", {"state": found.state, "why": found.why}


async def stream(door: Door, feed: Feed, request: Request, frames: Frames) -> Response:
    asked = request.query_params
    args: dict[str, Any] = {"agent": agent} if (agent := asked.get("agent")) else {}
    if after := request.headers.get("last-event-id") or asked.get("after"):
        args["after"] = after
    call = Call(
        "chat.follow", args, token_of(request), actor=request.headers.get("x-hq-actor"), trace_id=trace_of(request)
    )
    opened = await door.call(call)
    if not opened.ok:
        return problem(opened)
    return StreamingResponse(
        _told(door, feed, opened.data, frames), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"}
    )


async def _told(door: Door, feed: Feed, opened: dict[str, Any], frames: Frames) -> AsyncIterator[str]:
    last = Place.parse(opened["after"])
    status: Any = None
    yield "retry: 1000\n" + named("ready", last, {"after": str(last)})
    try:
        async for seen in follow(door, opened, feed):
            last = seen.after or last
            if seen.ended:
                yield named("end", last, {"why": seen.ended})
                return
            said = False
            async for name, data in frames(seen):
                if name == "status":
                    if data == status:
                        continue
                    status = data
                said = True
                yield named(name, last, data)
            if not said and not seen.standing and not seen.events and seen.after is None:
                yield named("heartbeat", last, {})
    except (DatabaseError, PoolTimeout, OSError):
        yield named("end", last, {"why": "the database does not answer; come back in a moment"})


def named(name: str, last: Place, data: Any) -> str:
    return f"event: {name}\nid: {last}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
