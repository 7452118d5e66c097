"""`GET /api/sessions/<id>/steps`: a session's journal as a stream, from any step on, until the session is over."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator

from psycopg import Error as DatabaseError
from psycopg_pool import PoolTimeout
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from hq.agents.tail import follow
from hq.api.credentials import token_of
from hq.api.problems import problem, trace_of
from hq.door.door import Door
from hq.door.tx import Call
from hq.engine.feed import Feed
from hq.engine.subscription import HEARTBEAT
from hq.errors import Refused


class SessionSteps:
    def __init__(self, door: Door, feed: Feed) -> None:
        self._door = door
        self._feed = feed

    async def follow(self, request: Request) -> Response:
        after = request.headers.get("last-event-id") or request.query_params.get("after") or "0"
        if not (after.isascii() and after.isdigit() and len(after) < 19):
            raise Refused.invalid(f"after is {after[:40]!r}; it takes the number of a step")
        opened = await self._door.call(
            Call(
                "session.tail",
                {"id": request.path_params["id"], "after": int(after)},
                token_of(request),
                actor=request.headers.get("x-hq-actor"),
                trace_id=trace_of(request),
            )
        )
        if not opened.ok:
            return problem(opened)
        return StreamingResponse(
            self._told(opened.data), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"}
        )

    async def _told(self, opened: dict[str, str]) -> AsyncIterator[str]:
        said_at, last = time.monotonic(), int(opened["after"])
        yield _named("ready", last, after=last)
        try:
            async for seen in follow(self._door, opened):
                for item in seen.items:
                    last = item["step"]
                    yield f"id: {last}\ndata: {json.dumps(item)}\n\n"
                if seen.items:
                    said_at = time.monotonic()
                if seen.over:
                    yield _named("over", last, state=seen.over)
                if seen.revoked:
                    yield _named("end", last, why="the credential was revoked or has expired")
                if self._feed.closed:
                    yield _named("end", last, why="hq is stopping; come back in a moment")
                    return
                if time.monotonic() - said_at >= HEARTBEAT:
                    said_at = time.monotonic()
                    yield _named("heartbeat", last)
        except (DatabaseError, PoolTimeout, OSError):
            yield _named("end", last, why="the database does not answer; come back in a moment")


def _named(name: str, last: int, **data: object) -> str:
    return f"event: {name}\nid: {last}\ndata: {json.dumps(data)}\n\n"
