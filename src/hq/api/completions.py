"""`POST /v1/chat/completions` and `GET /v1/models`: the company as a model, for whatever speaks the common protocol.

Each request is a conversation of its own, whose history is what the client sends: nothing of it is in the founder's
thread, and nothing of that, or of another client's, in the answer.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import AsyncIterator
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from hq import sse
from hq.api.calls import body_of
from hq.api.credentials import token_of
from hq.api.problems import trace_of
from hq.chat.conversation_view import TOPICS, ChatFollowOpened, ConversationView, PlainFrames
from hq.door.door import Door
from hq.door.outcome import Outcome
from hq.door.tx import Call
from hq.errors import HqError
from hq.ids import new_id
from hq.json_types import JsonObject
from hq.minds.tokens import estimate
from hq.stream.follow import Following, Frame
from hq.stream.hub import Hub

CEO = "hq-ceo"
OF_AGENT = "hq-agent-"
LONGEST = 20_000
"""Characters of one message, as `chat.say` takes it."""
BEFORE = "\n\nSaid before this:\n"
TYPES = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 422: "invalid_request_error"}


class ContentPart(BaseModel):
    model_config = ConfigDict(extra="allow")
    type: str = "text"
    text: str = ""


class Message(BaseModel):
    model_config = ConfigDict(extra="allow")
    role: str
    content: str | list[ContentPart] | None = None

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.type == "text")
        return self.content or ""


class StreamOptions(BaseModel):
    model_config = ConfigDict(extra="allow")
    include_usage: bool = False


class CompletionRequest(BaseModel):
    """What is asked; whatever else clients send is about models, and is let pass."""

    model_config = ConfigDict(extra="allow")
    model: str = CEO
    messages: list[Message] = Field(min_length=1)
    stream: bool = False
    stream_options: StreamOptions = Field(default_factory=StreamOptions)

    @property
    def agent(self) -> str | None:
        return None if self.model == CEO else self.model.removeprefix(OF_AGENT)

    @property
    def said(self) -> str:
        return next((message.text for message in reversed(self.messages) if message.role == "user"), "")

    @property
    def worded(self) -> str:
        """What is said last, with what was said before it: the newest of that, where it is more than fits."""
        last = max((n for n, message in enumerate(self.messages) if message.role == "user"), default=0)
        lines, room = [], LONGEST - len(self.said) - len(BEFORE)
        for message in reversed([m for n, m in enumerate(self.messages) if n != last and m.text.strip()]):
            line = f"> {message.role}: {message.text}"
            if len(line) + 1 > room:
                break
            room -= len(line) + 1
            lines.append(line)
        return f"{self.said}{BEFORE}{chr(10).join(reversed(lines))}" if lines else self.said


class Completions:
    def __init__(self, door: Door, hub: Hub) -> None:
        self._door = door
        self._hub = hub

    async def models(self, request: Request) -> Response:
        listed = await self._call(request, "agent.list", limit=200)
        if not listed.ok:
            return _refused(listed)
        others = [row["slug"] for row in listed.data["items"] if row["kind"] != "ceo" and row["status"] != "retired"]
        names = [CEO, *(OF_AGENT + slug for slug in others)]
        return JSONResponse({"object": "list", "data": [_model(name) for name in names]})

    async def complete(self, request: Request) -> Response:
        try:
            token_of(request)  # before a byte of a stranger's is read
            asked = CompletionRequest.model_validate_json(await body_of(request) or b"{}")
        except HqError as error:
            return _problem(error.code.status, error.message)
        except ValidationError as error:
            first = error.errors()[0]
            return _problem(422, f"{'.'.join(map(str, first['loc'])) or 'body'}: {first['msg']}")
        if not asked.said.strip():
            return _problem(422, "there is no message of the user's in `messages`")
        whose = {"agent": asked.agent, "conversation": _conversation(request)}
        said = await self._call(request, "chat.say", text=asked.worded, **whose)
        if not said.ok:
            return _refused(said)
        opened = await self._call(request, "chat.follow", after=said.data["after"], **whose)
        if not opened.ok:
            return _refused(opened)
        words = self._words(ChatFollowOpened.model_validate(opened.data))
        if asked.stream:
            return StreamingResponse(
                _chunks(asked, words), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"}
            )
        text = "".join([piece async for piece in words])
        return JSONResponse(
            _head(asked, "chat.completion")
            | {"choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]}
            | {"usage": _usage(asked, text)}
        )

    async def _words(self, opened: ChatFollowOpened) -> AsyncIterator[str]:
        """The answer, piece by piece, until whoever answers rests or waits for something else."""
        view = ConversationView(self._door, opened, PlainFrames())
        answer = AnswerText()
        async with Following(self._hub, opened.filter(TOPICS), view) as following:
            async for frames in following.frames():
                for frame in frames:
                    if piece := answer.piece(frame):
                        yield piece
                    if answer.over:
                        return

    async def _call(self, request: Request, verb: str, **args: Any) -> Outcome:
        key = request.headers.get("idempotency-key") if verb == "chat.say" else None
        return await self._door.call(Call(verb, args, token_of(request), key=key, trace_id=trace_of(request)))


class AnswerText:
    """An answer as it is put together from what a conversation tells."""

    def __init__(self) -> None:
        self.over = False
        self._under = ""
        self._lines = 0

    def piece(self, frame: Frame) -> str:
        """What comes behind what was said so far."""
        data: Any = frame.data
        match frame.name:
            case "draft" if data["at"] == len(self._under):  # one that begins anew is told when it is whole
                gap, self._under = self._gap(), self._under + data["text"]
                return gap + data["text"]
            case "line" if data["role"] != "user":
                gap, rest = self._gap(), data["text"].removeprefix(self._under)
                self._under, self._lines = "", self._lines + 1
                return gap + rest
            case "status" if data["state"] != "working":
                self.over = True
                return "" if self._lines and data["state"] == "ready" else self._aside(data["why"])
            case "end":
                self.over = True
                return self._aside(f"{data['why']}; what is still said can be read in the conversation")
        return ""

    def _gap(self) -> str:
        return "\n\n" if self._lines and not self._under else ""

    def _aside(self, why: str) -> str:
        return f"{chr(10) * 2 if self._lines or self._under else ''}({why})"


async def _chunks(asked: CompletionRequest, words: AsyncIterator[str]) -> AsyncIterator[bytes]:
    head, text = _head(asked, "chat.completion.chunk"), ""
    yield _chunk(head, {"role": "assistant", "content": ""})
    async for piece in words:
        text += piece
        yield _chunk(head, {"content": piece})
    yield _chunk(head, {}, "stop")
    if asked.stream_options.include_usage:
        yield sse.encode(head | {"choices": [], "usage": _usage(asked, text)})
    yield sse.encode(b"[DONE]")


def _chunk(head: JsonObject, delta: JsonObject, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return sse.encode(head | {"choices": [choice]})


def _head(asked: CompletionRequest, kind: str) -> JsonObject:
    return {"id": f"chatcmpl-{new_id().hex}", "object": kind, "created": int(time.time()), "model": asked.model}


def _usage(asked: CompletionRequest, text: str) -> dict[str, int]:
    """Of what was said here; what the company spent on it is in `hq cost`."""
    heard, spoken = estimate(asked.said), estimate(text)
    return {"prompt_tokens": heard, "completion_tokens": spoken, "total_tokens": heard + spoken}


def _conversation(request: Request) -> str:
    """Repeated under the same key it is the same one."""
    key = request.headers.get("idempotency-key")
    return f"v1-{hashlib.sha256(key.encode()).hexdigest()[:32] if key else new_id().hex}"


def _model(name: str) -> JsonObject:
    return {"id": name, "object": "model", "created": 0, "owned_by": "hq"}


def _refused(outcome: Outcome) -> Response:
    return _problem(outcome.status, outcome.message)


def _problem(status: int, message: str) -> Response:
    kind = TYPES.get(status, "server_error" if status >= 500 else "invalid_request_error")
    return JSONResponse({"error": {"message": message, "type": kind, "param": None, "code": None}}, status)
