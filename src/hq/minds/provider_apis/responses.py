"""OpenAI's responses wire: POST /v1/responses."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

from hq.json_types import WireBody
from hq.minds.mind import MindRequest, Reply
from hq.minds.provider_apis.chat import failure
from hq.minds.provider_apis.common import (
    ProviderMessages,
    ProviderRequest,
    arguments,
    calls,
    listed,
    pieces,
    text_of,
    texts,
    tool,
)
from hq.sse import encode

__all__ = ("failure", "read", "stream", "whole")


def read(body: WireBody) -> ProviderRequest:
    talk = ProviderMessages()
    system = [str(body["instructions"])] if body.get("instructions") else []
    given = body.get("input")
    for item in [{"role": "user", "content": given}] if isinstance(given, str) else listed(body, "input"):
        match item.get("type") or "message", item.get("role"):
            case "message", "system" | "developer":
                system.append(text_of(item.get("content")))
            case "message", "assistant":
                talk.answered(text_of(item.get("content")))
            case "message", _:
                talk.said(text_of(item.get("content")))
            case "function_call", _:
                talk.called(item["call_id"], item["name"], item.get("arguments") or "{}")
            case "function_call_output", _:
                talk.returned(item["call_id"], text_of(item.get("output")))
    tools = [
        tool(each["name"], each.get("description"), each.get("parameters"))
        for each in body.get("tools") or []
        if each.get("type") == "function"
    ]
    ask = MindRequest(talk.messages, tools, "\n\n".join(system), body.get("max_output_tokens"))
    return ProviderRequest(ask, str(body.get("model", "script")), bool(body.get("stream")))


def whole(reply: Reply, model: str, id_: str) -> WireBody:
    into, out = reply.usage.tokens_in, reply.usage.tokens_out
    usage = {
        "input_tokens": into,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": out,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": into + out,
    }
    return _base(model, id_) | _ended(reply) | {"output": _output(reply, id_), "usage": usage}


def _ended(reply: Reply) -> WireBody:
    if reply.cut or reply.declined:
        why = "max_output_tokens" if reply.cut else "content_filter"
        return {"status": "incomplete", "incomplete_details": {"reason": why}}
    return {"status": "completed"}


def stream(reply: Reply, model: str, id_: str) -> Iterator[bytes]:
    numbers = count()

    def tell(kind: str, **data: Any) -> bytes:
        return encode({"type": kind, "sequence_number": next(numbers), **data}, kind)

    yield tell("response.created", response=_base(model, id_))
    for index, item in enumerate(_output(reply, id_)):
        at = {"item_id": item["id"], "output_index": index}
        if item["type"] == "message":
            text, part = item["content"][0]["text"], {"type": "output_text", "text": "", "annotations": []}
            yield tell("response.output_item.added", output_index=index, item={**item, "content": []})
            yield tell("response.content_part.added", **at, content_index=0, part=part)
            for piece in pieces(text):
                yield tell("response.output_text.delta", **at, content_index=0, delta=piece, logprobs=[])
            yield tell("response.output_text.done", **at, content_index=0, text=text, logprobs=[])
            yield tell("response.content_part.done", **at, content_index=0, part={**part, "text": text})
        else:
            yield tell("response.output_item.added", output_index=index, item={**item, "arguments": ""})
            for piece in pieces(item["arguments"], 40):
                yield tell("response.function_call_arguments.delta", **at, delta=piece)
            done = {"arguments": item["arguments"], "name": item["name"]}
            yield tell("response.function_call_arguments.done", **at, **done)
        yield tell("response.output_item.done", output_index=index, item=item)
    full = whole(reply, model, id_)
    yield tell(f"response.{full['status']}", response=full)


def _output(reply: Reply, id_: str) -> list[WireBody]:
    part = {"type": "output_text", "text": texts(reply), "annotations": []}
    said = {"type": "message", "id": f"msg_{id_}", "status": "completed", "role": "assistant", "content": [part]}
    made = [
        {
            "type": "function_call",
            "id": f"fc_{id_}_{index}",
            "call_id": call.tool_call_id,
            "name": call.tool_name,
            "arguments": arguments(call),
            "status": "completed",
        }
        for index, call in enumerate(calls(reply))
    ]
    return ([said] if texts(reply) else []) + made


def _base(model: str, id_: str) -> WireBody:
    fixed: WireBody = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "metadata": {}}
    unset = dict.fromkeys(("error", "incomplete_details", "instructions", "usage"))
    return {"id": f"resp_{id_}", "object": "response", "created_at": 0, "status": "in_progress", "model": model,
            "output": []} | fixed | unset  # fmt: skip
