"""A response of OpenAI's newer protocol: the object, and the events by which it is told while it comes to be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from hq import sse
from hq.api.openai.follower import CompletionEnd
from hq.api.openai.problem import OpenAIProblem
from hq.api.openai.response_request import ResponseRequest
from hq.api.openai.text_limit import TextLimit
from hq.json_types import WireBody
from hq.sessions.completions.completion import Completion
from hq.sessions.completions.request import call_id


class ResponseObject:
    """What a request was answered, as far as it has come."""

    def __init__(self, asked: WireBody, id: UUID, created: int) -> None:
        self._asked, self._id, self._created = asked, id, created
        self.limit = TextLimit([], asked.get("max_output_tokens"))

    def shape(self, status: str, output: list[WireBody], more: WireBody | None = None) -> WireBody:
        return {
            "id": f"resp_{self._id.hex}",
            "object": "response",
            "created_at": self._created,
            "status": status,
            "background": False,
            "error": None,
            "incomplete_details": None,
            "output": output,
            "usage": None,
            **self._asked,
            **(more or {}),
        }

    def ended(self, end: CompletionEnd) -> WireBody:
        """The whole of it."""
        done = end.completion
        text = self.limit.cut(done.text)
        return self.finished(end, self.output(done, text))

    def finished(self, end: CompletionEnd, output: list[WireBody]) -> WireBody:
        came, went = end.completion.tokens
        usage = {
            "input_tokens": came,
            "input_tokens_details": {"cached_tokens": end.cached},
            "output_tokens": went,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": came + went,
        }
        cut: WireBody = {"incomplete_details": {"reason": "max_output_tokens"}} if self.limit.ended else {}
        status = "incomplete" if self.limit.ended else "completed"
        completed_at = None if self.limit.ended else _second(end.completion)
        return self.shape(status, output, {"usage": usage, "completed_at": completed_at, **cut})

    def failed(self, problem: OpenAIProblem) -> WireBody:
        error = {"code": problem.code or "server_error", "message": problem.message}
        return self.shape("failed", [], {"error": error})

    def output(self, done: Completion, text: str) -> list[WireBody]:
        calls = [] if self.limit.ended else done.calls
        said = [self.message(text, "incomplete" if self.limit.ended else "completed")] if text or not calls else []
        return [*said, *(self.call(n, call.name, call.arguments) for n, call in enumerate(calls))]

    def message(self, text: str, status: str) -> WireBody:
        content = [] if status == "in_progress" else [_text(text)]
        return {
            "id": f"msg_{self._id.hex}",
            "type": "message",
            "role": "assistant",
            "status": status,
            "content": content,
        }

    def call(self, number: int, name: str, arguments: str, status: str = "completed") -> WireBody:
        return {
            "id": f"fc_{self._id.hex}_{number}",
            "type": "function_call",
            "call_id": call_id(self._id, number),
            "name": name,
            "arguments": arguments,
            "status": status,
        }


class ResponseEvents:
    """The events of a stream, numbered."""

    def __init__(self, object: ResponseObject) -> None:
        self._object = object
        self._number = -1
        self._said = ""
        self._begun = False

    def opened(self) -> Iterator[bytes]:
        for name in ("created", "in_progress"):
            yield self._event(f"response.{name}", response=self._object.shape("in_progress", []))

    def text(self, piece: str) -> Iterator[bytes]:
        if not (piece := self._object.limit.feed(piece)):
            return
        yield from self._begin()
        yield from self._delta(piece)

    def ended(self, end: CompletionEnd) -> Iterator[bytes]:
        done, limit = end.completion, self._object.limit
        rest = limit.rest() if done.lines else limit.cut(done.text)
        if rest or not (self._begun or done.calls):
            yield from self._begin()
            yield from self._delta(rest)
        output = self._object.output(done, self._said)
        if self._begun:
            yield from self._message_done(output[0])
        for place, item in enumerate(output):
            if item["type"] == "function_call":
                yield from self._called(place, item)
        whole = self._object.finished(end, output)
        yield self._event(f"response.{whole['status']}", response=whole)

    def failed(self, problem: OpenAIProblem) -> Iterator[bytes]:
        yield self._event("response.failed", response=self._object.failed(problem))

    def _begin(self) -> Iterator[bytes]:
        if self._begun:
            return
        self._begun = True
        item = self._object.message("", "in_progress")
        yield self._event("response.output_item.added", output_index=0, item=item)
        yield self._event("response.content_part.added", **self._place(item), part=_text(""))

    def _delta(self, piece: str) -> Iterator[bytes]:
        self._said += piece
        if piece:
            place = self._place(self._object.message("", "in_progress"))
            yield self._event("response.output_text.delta", **place, delta=piece, logprobs=[])

    def _message_done(self, item: WireBody) -> Iterator[bytes]:
        place = self._place(item)
        yield self._event("response.output_text.done", **place, text=self._said, logprobs=[])
        yield self._event("response.content_part.done", **place, part=_text(self._said))
        yield self._event("response.output_item.done", output_index=0, item=item)

    def _called(self, place: int, item: WireBody) -> Iterator[bytes]:
        where = {"output_index": place, "item_id": item["id"]}
        begun = item | {"arguments": "", "status": "in_progress"}
        yield self._event("response.output_item.added", output_index=place, item=begun)
        yield self._event("response.function_call_arguments.delta", **where, delta=item["arguments"])
        yield self._event(
            "response.function_call_arguments.done", **where, name=item["name"], arguments=item["arguments"]
        )
        yield self._event("response.output_item.done", output_index=place, item=item)

    def _place(self, item: WireBody) -> WireBody:
        return {"item_id": item["id"], "output_index": 0, "content_index": 0}

    def _event(self, event: str, **data: Any) -> bytes:
        self._number += 1
        return sse.encode({"type": event, "sequence_number": self._number, **data}, event)


def echoed(asked: ResponseRequest) -> WireBody:
    """What a response says again of its request."""
    given = asked.model_dump(mode="json", by_alias=True)
    usual = {"parallel_tool_calls": True, "temperature": 1.0, "top_p": 1.0, "truncation": "disabled"}
    names = (
        "instructions",
        "max_output_tokens",
        "metadata",
        "model",
        "previous_response_id",
        "service_tier",
        "store",
        "user",
    )
    return {
        **{name: given[name] for name in names},
        **{name: given[name] if given[name] is not None else value for name, value in usual.items()},
        "metadata": given["metadata"] or {},
        "service_tier": "default",
        "store": given["store"] is not False,
        "tool_choice": given["tool_choice"] or "auto",
        "tools": [
            {"strict": True, "parameters": {}, "description": None, **_set(tool)} for tool in given["tools"] or []
        ],
        "text": {"format": {"type": "text"}, **_set(given["text"] or {})},
        "reasoning": {"effort": None, "summary": None, **(given["reasoning"] or {})},
    }


def _set(given: WireBody) -> WireBody:
    return {
        name: _set(value) if isinstance(value, dict) else value for name, value in given.items() if value is not None
    }


def _text(text: str) -> WireBody:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _second(done: Completion) -> int | None:
    return int(done.row.ended_at.timestamp()) if done.row.ended_at else None
