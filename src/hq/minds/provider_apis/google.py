"""Google's generateContent wire: POST /v1beta/models/<model>:generateContent and :streamGenerateContent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hq.json_types import WireBody
from hq.minds.mind import MindRequest, Reply
from hq.minds.provider_apis.common import (
    ProviderMessages,
    ProviderRequest,
    calls,
    listed,
    pieces,
    text_of,
    texts,
    tool,
)
from hq.sse import encode

SCHEMAS = ("parametersJsonSchema", "parameters_json_schema", "parameters")


def read(body: WireBody, model: str, *, stream: bool) -> ProviderRequest:
    talk = ProviderMessages()
    for content in listed(body, "contents"):
        for index, part in enumerate(content.get("parts") or []):
            _part(talk, content.get("role"), part, index)
    tools = [
        tool(each["name"], each.get("description"), next((each[name] for name in SCHEMAS if name in each), None))
        for group in body.get("tools") or []
        for each in group.get("functionDeclarations") or []
    ]
    system = text_of((body.get("systemInstruction") or {}).get("parts") or [])
    return ProviderRequest(MindRequest(talk.messages, tools, system), model, stream)


def _part(talk: ProviderMessages, role: str | None, part: WireBody, index: int) -> None:
    match part:
        case {"functionCall": call}:
            talk.called(call.get("id") or f"{call['name']}_{index}", call["name"], call.get("args") or {})
        case {"functionResponse": back}:
            content = _unwrapped(back.get("response"))
            talk.returned(back.get("id") or f"{back['name']}_{index}", content, name=back["name"])
        case {"text": text} if role == "model":
            talk.answered(text)
        case {"text": text}:
            talk.said(text)


def _unwrapped(response: Any) -> Any:
    """Results that are no object come wrapped in one."""
    if isinstance(response, dict) and len(response) == 1:
        return next((response[name] for name in ("result", "return_value", "output") if name in response), response)
    return response


def whole(reply: Reply, model: str, id_: str) -> WireBody:
    said = [{"text": texts(reply)}] if texts(reply) else []
    return _chunk(reply, model, id_, [*said, *_calls(reply)])


def stream(reply: Reply, model: str, id_: str) -> Iterator[bytes]:
    for piece in pieces(texts(reply)):
        yield encode(_chunk(reply, model, id_, [{"text": piece}], ended=False))
    yield encode(_chunk(reply, model, id_, _calls(reply)))


def _calls(reply: Reply) -> list[WireBody]:
    return [
        {"functionCall": {"id": call.tool_call_id, "name": call.tool_name, "args": call.args_as_dict()}}
        for call in calls(reply)
    ]


def _chunk(reply: Reply, model: str, id_: str, parts: list[WireBody], *, ended: bool = True) -> WireBody:
    candidate: WireBody = {"index": 0, "content": {"role": "model", "parts": parts or [{"text": ""}]}}
    if ended:
        candidate["finishReason"] = "MAX_TOKENS" if reply.cut else "SAFETY" if reply.declined else "STOP"
    into, out = reply.usage.tokens_in, reply.usage.tokens_out
    usage = {"promptTokenCount": into, "candidatesTokenCount": out, "totalTokenCount": into + out}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": model, "responseId": id_}


def failure(status: int, message: str) -> WireBody:
    return {"error": {"code": status, "message": message, "status": "INVALID_ARGUMENT" if status < 500 else "INTERNAL"}}
