"""Common parts of the provider APIs: a request read into a `MindRequest`, and the pieces an answer is sent in."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.tools import ToolDefinition

from hq.errors import Refused
from hq.json_text import json_value
from hq.json_types import WireBody
from hq.minds.mind import MindRequest, Reply

PIECE = 24


@dataclass(frozen=True)
class ProviderRequest:
    """A request off the wire."""

    ask: MindRequest
    model: str
    stream: bool


class ProviderMessages:
    """Messages as they come along, put into the shape a mind reads."""

    def __init__(self) -> None:
        self.messages: list[ModelMessage] = []
        self._names: dict[str, str] = {}

    def said(self, text: str) -> None:
        """Programs say what surrounds a question in messages of its own; all of them together are what was said."""
        if not text:
            return
        last = self.messages[-1].parts[-1] if self.messages and self.messages[-1].parts else None
        if isinstance(last, UserPromptPart):
            last.content = [*([last.content] if isinstance(last.content, str) else last.content), text]
        else:
            self._asked(UserPromptPart(text))

    def answered(self, text: str) -> None:
        if text:
            self._replied(TextPart(text))

    def called(self, id_: str, name: str, args: Any) -> None:
        self._names[id_] = name
        self._replied(ToolCallPart(name, args, tool_call_id=id_))

    def returned(self, id_: str, content: Any, *, failed: bool = False, name: str | None = None) -> None:
        outcome = "failed" if failed else "success"
        self._asked(ToolReturnPart(name or self._names.get(id_, "unknown"), content, tool_call_id=id_, outcome=outcome))

    def _asked(self, part: ModelRequestPart) -> None:
        if self.messages and isinstance(last := self.messages[-1], ModelRequest):
            last.parts = [*last.parts, part]
        else:
            self.messages.append(ModelRequest(parts=[part]))

    def _replied(self, part: ModelResponsePart) -> None:
        if self.messages and isinstance(last := self.messages[-1], ModelResponse):
            last.parts = [*last.parts, part]
        else:
            self.messages.append(ModelResponse(parts=[part]))


def tool(name: str, description: str | None, schema: Any) -> ToolDefinition:
    return ToolDefinition(name=name, description=description, parameters_json_schema=schema or {"type": "object"})


def text_of(content: Any) -> str:
    """The text in content that may be a string or a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, Sequence) else []
    return "\n".join(str(part.get("text", "")) for part in parts if isinstance(part, Mapping) and "text" in part)


def parsed(body: bytes) -> WireBody:
    try:
        found = json_value(body)
    except ValueError as error:
        raise Refused.invalid(f"the request is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise Refused.invalid("the request is not a JSON object")
    return found


def listed(body: Mapping[str, Any], name: str) -> list[WireBody]:
    found = body.get(name)
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise Refused.invalid(f"{name} must be a list of objects")
    return found


def texts(reply: Reply) -> str:
    return reply.response.text or ""


def calls(reply: Reply) -> list[ToolCallPart]:
    return [part for part in reply.response.parts if isinstance(part, ToolCallPart)]


def arguments(call: ToolCallPart) -> str:
    return call.args if isinstance(call.args, str) else json.dumps(call.args or {}, ensure_ascii=False)


def pieces(text: str, size: int = PIECE) -> Iterator[str]:
    return (text[start : start + size] for start in range(0, len(text), size))
