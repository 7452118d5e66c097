"""OpenAI's chat completions wire: POST /v1/chat/completions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hq.json_types import WireBody
from hq.minds.mind import MindRequest, Reply
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


def read(body: WireBody) -> ProviderRequest:
    talk, system = ProviderMessages(), []
    for message in listed(body, "messages"):
        text = text_of(message.get("content") or "")
        match message.get("role"):
            case "system" | "developer":
                system.append(text)
            case "user":
                talk.said(text)
            case "assistant":
                talk.answered(text)
                for call in message.get("tool_calls") or []:
                    talk.called(call["id"], call["function"]["name"], call["function"].get("arguments") or "{}")
            case "tool":
                talk.returned(message["tool_call_id"], text)
    tools = [
        tool(each["function"]["name"], each["function"].get("description"), each["function"].get("parameters"))
        for each in body.get("tools") or []
        if each.get("type") == "function"
    ]
    limit = body.get("max_completion_tokens") or body.get("max_tokens")
    ask = MindRequest(talk.messages, tools, "\n\n".join(system), limit)
    return ProviderRequest(ask, str(body.get("model", "script")), bool(body.get("stream")))


def whole(reply: Reply, model: str, id_: str) -> WireBody:
    message: WireBody = {"role": "assistant", "content": texts(reply) or None, "refusal": None}
    if made := [_call(call) for call in calls(reply)]:
        message["tool_calls"] = made
    choice = {"index": 0, "message": message, "finish_reason": _finish(reply), "logprobs": None}
    return _base(model, id_, "chat.completion") | {"choices": [choice], "usage": _usage(reply)}


def stream(reply: Reply, model: str, id_: str) -> Iterator[bytes]:
    def chunk(delta: WireBody, finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return encode(_base(model, id_, "chat.completion.chunk") | {"choices": [choice]})

    yield chunk({"role": "assistant", "content": ""})
    for piece in pieces(texts(reply)):
        yield chunk({"content": piece})
    for index, call in enumerate(calls(reply)):
        head = _call(call)
        head["function"] = {**head["function"], "arguments": ""}
        yield chunk({"tool_calls": [{"index": index, **head}]})
        for piece in pieces(arguments(call), 40):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield chunk({}, _finish(reply))
    yield encode(_base(model, id_, "chat.completion.chunk") | {"choices": [], "usage": _usage(reply)})
    yield encode(b"[DONE]")


def _base(model: str, id_: str, kind: str) -> WireBody:
    return {"id": f"chatcmpl-{id_}", "object": kind, "created": 0, "model": model}


def _call(call: Any) -> WireBody:
    function = {"name": call.tool_name, "arguments": arguments(call)}
    return {"id": call.tool_call_id, "type": "function", "function": function}


def _finish(reply: Reply) -> str:
    if reply.cut or reply.declined:
        return "length" if reply.cut else "content_filter"
    return "tool_calls" if calls(reply) else "stop"


def _usage(reply: Reply) -> WireBody:
    into, out = reply.usage.tokens_in, reply.usage.tokens_out
    return {"prompt_tokens": into, "completion_tokens": out, "total_tokens": into + out}


def failure(status: int, message: str) -> WireBody:
    kind = "invalid_request_error" if status < 500 else "server_error"
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}
