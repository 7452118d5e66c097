"""Anthropic's Messages wire: POST /v1/messages and /v1/messages/count_tokens."""

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
    talk = ProviderMessages()
    instructions = [text_of(body.get("system") or "")]
    for message in listed(body, "messages"):
        content = message.get("content")
        if message.get("role") == "system":  # the Claude CLI tells its environment in the middle of the conversation
            instructions.append(text_of(content))
            continue
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
        for block in blocks:
            _block(talk, message.get("role"), block)
    tools = [
        tool(each["name"], each.get("description"), each.get("input_schema"))
        for each in body.get("tools") or []
        if "input_schema" in each
    ]
    ask = MindRequest(talk.messages, tools, "\n\n".join(filter(None, instructions)), body.get("max_tokens"))
    return ProviderRequest(ask, str(body.get("model", "script")), bool(body.get("stream")))


def _block(talk: ProviderMessages, role: str | None, block: WireBody) -> None:
    match block.get("type"):
        case "text" if role == "assistant":
            talk.answered(block["text"])
        case "text":
            talk.said(block["text"])
        case "tool_use":
            talk.called(block["id"], block["name"], block.get("input") or {})
        case "tool_result":
            content = block.get("content", "")
            talk.returned(block["tool_use_id"], text_of(content), failed=bool(block.get("is_error")))


def whole(reply: Reply, model: str, id_: str) -> WireBody:
    return {
        "id": f"msg_{id_}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": _content(reply),
        "stop_reason": _stop(reply),
        "stop_sequence": None,
        "usage": {"input_tokens": reply.usage.tokens_in, "output_tokens": reply.usage.tokens_out},
    }


def _stop(reply: Reply) -> str:
    if reply.cut or reply.declined:
        return "max_tokens" if reply.cut else "refusal"
    return "tool_use" if calls(reply) else "end_turn"


def _content(reply: Reply) -> list[WireBody]:
    said = [{"type": "text", "text": texts(reply)}] if texts(reply) else []
    return said + [
        {"type": "tool_use", "id": call.tool_call_id, "name": call.tool_name, "input": call.args_as_dict()}
        for call in calls(reply)
    ]


def stream(reply: Reply, model: str, id_: str) -> Iterator[bytes]:
    full = whole(reply, model, id_)
    yield _event("message_start", message={**full, "content": [], "stop_reason": None})
    for index, block in enumerate(full["content"]):
        if block["type"] == "text":
            yield _event("content_block_start", index=index, content_block={"type": "text", "text": ""})
            for piece in pieces(block["text"]):
                yield _event("content_block_delta", index=index, delta={"type": "text_delta", "text": piece})
        else:
            yield _event("content_block_start", index=index, content_block={**block, "input": {}})
            call = next(call for call in calls(reply) if call.tool_call_id == block["id"])
            for piece in pieces(arguments(call), 40):
                yield _event(
                    "content_block_delta", index=index, delta={"type": "input_json_delta", "partial_json": piece}
                )
        yield _event("content_block_stop", index=index)
    ended = {"stop_reason": full["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=ended, usage=full["usage"])
    yield _event("message_stop")


def _event(name: str, **data: Any) -> bytes:
    return encode({"type": name, **data}, name)


def failure(status: int, message: str) -> WireBody:
    kinds = {400: "invalid_request_error", 404: "not_found_error", 413: "request_too_large"}
    return {"type": "error", "error": {"type": kinds.get(status, "api_error"), "message": message}}
