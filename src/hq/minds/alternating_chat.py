"""Alternating chat: OpenAI's chat completions with turns that alternate. Chat templates of many servers refuse two turns of one side
after the other, and a message after another, or how things stand behind it, would be that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

from openai.types import chat
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.settings import ModelSettings

from hq.json_types import WireBody

SIDES = ("user", "assistant")
GAP = "\n\n"


class AlternatingChatModel(OpenAIChatModel):
    async def _map_messages(
        self,
        messages: Sequence[ModelMessage],
        model_request_parameters: ModelRequestParameters,
        *,
        model_settings: ModelSettings | None = None,
    ) -> list[chat.ChatCompletionMessageParam]:
        mapped = await super()._map_messages(messages, model_request_parameters, model_settings=model_settings)
        return cast("list[chat.ChatCompletionMessageParam]", alternating(cast("list[WireBody]", mapped)))


def alternating(messages: Iterable[WireBody]) -> list[WireBody]:
    """Neighbouring turns of one side as one. Each begins as it would alone, so what was sent before stays how the next request begins."""
    turns: list[WireBody] = []
    for message in messages:
        if turns and message["role"] in SIDES and turns[-1]["role"] == message["role"]:
            turns[-1] = _joined(turns[-1], message)
        else:
            turns.append(message)
    return turns


def _joined(turn: WireBody, more: WireBody) -> WireBody:
    both = {name: _together(turn[name], more[name]) for name in turn.keys() & more.keys() if name != "role"}
    return {**turn, **more, **both}


def _together(first: Any, second: Any) -> Any:
    """Texts with a blank line between them; parts of a text, and calls, one after the other."""
    if not first or not second:
        return first or second
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}{GAP}{second}"
    return [*_parts(first), *_parts(second)]


def _parts(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
