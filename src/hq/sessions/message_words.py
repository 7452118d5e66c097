"""Words of messages: what was said in them, and what a provider gets of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    RetryPromptPart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from hq.minds.tokens import estimate


def in_words(messages: Iterable[ModelMessage], without: Sequence[ModelRequestPart] = ()) -> list[ModelMessage]:
    """What was said, without what was called and what came back."""
    found: list[ModelMessage] = []
    for message in messages:
        if isinstance(message, ModelRequest):
            said = [part for part in message.parts if isinstance(part, UserPromptPart | SystemPromptPart)]
            said = [part for part in said if not is_among(part, without)]
            found += [ModelRequest(parts=said)] if said else []
        elif text := said_text(message):
            found.append(ModelResponse(parts=[TextPart(content=text)]))
    return found


def said_text(message: ModelMessage) -> str:
    """What the mind said there, and not only thought or called."""
    if isinstance(message, ModelRequest):
        return ""
    return "\n\n".join(part.content for part in message.parts if isinstance(part, TextPart)).strip()


def said_parts(message: ModelMessage) -> list[UserPromptPart]:
    return [part for part in message.parts if isinstance(part, UserPromptPart)]


def is_among(part: object, parts: Iterable[object]) -> bool:
    """By itself and not by what it says: the same may be said twice."""
    return any(part is each for each in parts)


def newest_words(said: Sequence[ModelMessage], room: int) -> list[ModelMessage]:
    """The last of it that takes no more tokens than that, from something that was said to the mind on, or all."""
    begin = len(said)
    for number in range(len(said) - 1, -1, -1):
        room -= estimate("".join(sent_texts(said[number])))
        if room < 0:
            break
        if isinstance(said[number], ModelRequest) or number == 0:
            begin = number
    return list(said[begin:])


def sent_texts(message: ModelMessage) -> Iterator[str]:
    """The texts of a message as a provider gets them; a call is its tool and its arguments."""
    for part in message.parts:
        match part:
            case UserPromptPart():
                content = [part.content] if isinstance(part.content, str) else part.content
                yield from (each if isinstance(each, str) else f"({type(each).__name__})" for each in content)
            case TextPart() | ThinkingPart() | SystemPromptPart():
                yield part.content
            case ToolCallPart():
                yield f"{part.tool_name} {part.args_as_json_str()}"
            case ToolReturnPart():
                yield part.model_response_str()
            case RetryPromptPart():
                yield part.model_response()
            case _:
                yield f"({part.part_kind})"
