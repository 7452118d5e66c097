"""Replies of a mind as the journal keeps them, and as they are read back."""

from __future__ import annotations

import json
from typing import Any

from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelResponse, ToolCallPart

from hq.engine.sessions.reply import KeptReply


def broke_off_in_a_call(response: ModelResponse) -> bool:
    return response.finish_reason == "length" and isinstance(response.parts[-1], ToolCallPart)


def read_response(dumped: KeptReply) -> ModelResponse:
    (message,) = ModelMessagesTypeAdapter.validate_python([dumped])
    assert isinstance(message, ModelResponse)
    return message


def dump_response(response: ModelResponse) -> KeptReply:
    (dumped,) = ModelMessagesTypeAdapter.dump_python([response], mode="json", exclude_none=True)
    dumped.pop("usage", None)  # the journal has it in our own words
    for part in dumped["parts"]:
        if isinstance(args := part.get("args"), dict):  # as text, for the database would put its keys in another order
            part["args"] = json.dumps(args, ensure_ascii=False)
    return _storable(dumped)


def _storable(value: Any) -> Any:
    """A mind may say anything, also what Postgres cannot keep: NUL and halves of characters become a mark."""
    match value:
        case str() if not value.isascii() or "\0" in value:
            return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
        case list():
            return [_storable(each) for each in value]
        case dict():
            return {_storable(key): _storable(each) for key, each in value.items()}
    return value
