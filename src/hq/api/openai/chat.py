"""`POST /v1/chat/completions`: one request, one answer, whole or while it is being said."""

from __future__ import annotations

from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from hq import sse
from hq.api.openai.chat_request import ChatRequest
from hq.api.openai.follower import AnswerDelta, CompletionEnd, Follower
from hq.api.openai.problem import OpenAIProblem
from hq.api.replies import JsonResponse
from hq.ids import parse_id
from hq.json_types import WireBody
from hq.sessions.completions.completion import Completion
from hq.sessions.completions.request import call_id
from hq.sessions.completions.text_limit import TextLimit

LARGEST = 25 * 1024 * 1024
"""Bytes of a request: images come in it."""
PARAMS = {"choice": "tool_choice", "format": "response_format", "images": "messages", "tools": "tools"}
HEADERS = {"X-Accel-Buffering": "no", "Cache-Control": "no-store"}
STILL_HERE = b": still at work\n\n"


class ChatCompletions:
    def __init__(self, follower: Follower) -> None:
        self._follower = follower

    async def create(self, request: Request) -> Response:
        asked = ChatRequest.model_validate_json(await self._follower.body(request, LARGEST))
        args = asked.args()
        begun = await self._follower.begin(request, args, asked.n or 1)
        answer = ChatAnswer(asked, begun, int(self._follower.door.clock.now().timestamp()))
        if not asked.stream:
            return JsonResponse(answer.whole(await self._follower.whole(request, begun)))
        chunks = _chunks(answer, await self._follower.stream(request, begun, args))
        return StreamingResponse(chunks, media_type="text/event-stream", headers=HEADERS)


async def _chunks(answer: ChatAnswer, heard: AsyncIterator[AnswerDelta | None]) -> AsyncIterator[bytes]:
    for index in range(len(answer.begun)):
        yield answer.chunk(index, {"role": "assistant", "content": "", "refusal": None})
    async for told in heard:
        if told is None:
            yield STILL_HERE
        elif isinstance(told.what, OpenAIProblem):
            yield sse.encode(told.what.body)
            return
        else:
            for chunk in answer.told(told):
                yield chunk
    if answer.wants_usage:
        yield answer.usage_chunk()
    yield sse.encode(b"[DONE]")


class ChatAnswer:
    """The answers to one request, in the protocol's shape."""

    def __init__(self, asked: ChatRequest, begun: list[str], created: int) -> None:
        self.begun = begun
        self._asked, self._created = asked, created
        self._limits = [TextLimit(asked.stops, asked.longest) for _ in begun]
        self._ended: dict[int, CompletionEnd] = {}
        options = asked.stream_options
        self.wants_usage = bool(options and options.include_usage)

    def whole(self, ended: list[CompletionEnd]) -> WireBody:
        self._ended = dict(enumerate(ended))
        choices = [self._choice(index, each.completion) for index, each in enumerate(ended)]
        return self._head("chat.completion") | {"choices": choices, "usage": self._usage()}

    def told(self, heard: AnswerDelta) -> list[bytes]:
        """What one thing that was heard adds to the stream."""
        limit, index = self._limits[heard.index], heard.index
        if isinstance(heard.what, str):
            piece = limit.feed(heard.what)
            return [self.chunk(index, {"content": piece})] if piece else []
        assert isinstance(heard.what, CompletionEnd)
        done = heard.what.completion
        self._ended[index] = heard.what
        said = (limit.cut(done.text) if not done.lines else limit.rest()) or None
        chunks = [self.chunk(index, {"content": said})] if said else []
        if not limit.ended:
            chunks += [self.chunk(index, {"tool_calls": [{"index": n, **call}]}) for n, call in enumerate(_calls(done))]
        return [*chunks, self.chunk(index, {}, limit.ended or done.finish)]

    def chunk(self, index: int, delta: WireBody, finish: str | None = None) -> bytes:
        choice = {"index": index, "delta": delta, "logprobs": None, "finish_reason": finish}
        usage: WireBody = {"usage": None} if self.wants_usage else {}
        return sse.encode(self._head("chat.completion.chunk") | {"choices": [choice]} | usage)

    def usage_chunk(self) -> bytes:
        return sse.encode(self._head("chat.completion.chunk") | {"choices": [], "usage": self._usage()})

    def _choice(self, index: int, done: Completion) -> WireBody:
        limit = self._limits[index]
        text = limit.cut(done.text)
        calls = [] if limit.ended else _calls(done)
        message: WireBody = {"role": "assistant", "content": text or (None if calls else ""), "refusal": None}
        message |= {"annotations": []} | ({"tool_calls": calls} if calls else {})
        return {"index": index, "message": message, "logprobs": None, "finish_reason": limit.ended or done.finish}

    def _head(self, kind: str) -> WireBody:
        return {
            "id": f"chatcmpl-{parse_id(self.begun[0]).hex}",
            "object": kind,
            "created": self._created,
            "model": self._asked.model,
            "service_tier": "default",
            "system_fingerprint": None,
        }

    def _usage(self) -> WireBody:
        """Of all that its minds read and said, hq's own tools included."""
        read = [each.completion.tokens for each in self._ended.values()]
        came, went = sum(each[0] for each in read), sum(each[1] for each in read)
        cached = sum(each.cached for each in self._ended.values())
        return {
            "prompt_tokens": came,
            "completion_tokens": went,
            "total_tokens": came + went,
            "prompt_tokens_details": {"cached_tokens": cached, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
        }


def _calls(done: Completion) -> list[WireBody]:
    return [
        {"id": call_id(done.id, n), "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for n, call in enumerate(done.calls)
    ]
