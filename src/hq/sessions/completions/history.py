"""The history of a completion, as its mind reads it: what the program sent, with what was done inside for calls of ours among it."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from pydantic_ai.messages import (
    BinaryContent,
    ImageUrl,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
)

from hq.engine.sessions.journal import JournalStep
from hq.engine.sessions.steps import OpenStep
from hq.errors import Refused
from hq.json_types import WireBody
from hq.sessions.completions.request import OUR_CALL, ClientMessage, ClientPart, call_id
from hq.sessions.transcript import Transcript

Earlier = dict[UUID, list[ModelMessage]]
"""What completions did that are gone on from, by their session."""


def sessions_in(messages: Sequence[ClientMessage]) -> set[UUID]:
    """The completions whose calls are among these messages."""
    found = (OUR_CALL.fullmatch(call.id) for each in messages for call in each.calls)
    return {UUID(match[1]) for match in found if match}


def done_in(session: UUID, steps: Sequence[JournalStep]) -> tuple[list[ModelMessage], list[ModelMessage]]:
    """What a completion was told, and what it did and said, its calls by our ids."""
    opened = next((step.payload for step in steps if isinstance(step.payload, OpenStep)), None)
    if opened is None:
        return [], []
    talk = Transcript.of(steps)
    theirs = {call.tool_call_id: call_id(session, number) for number, call in enumerate(talk.pending)}
    messages = [_renamed(each, theirs) for each in talk.next_messages()]
    many = len(opened.past)
    return messages[:many], messages[many:]


def _renamed(message: ModelMessage, ids: dict[str, str]) -> ModelMessage:
    """Calls that the program makes have ids of ours: by these it says what came of them."""
    if not isinstance(message, ModelResponse):
        return message
    parts = [
        replace(part, tool_call_id=ids[part.tool_call_id])
        if isinstance(part, ToolCallPart) and part.tool_call_id in ids
        else part
        for part in message.parts
    ]
    return replace(message, parts=parts)


def history(before: Sequence[ModelMessage], said: Sequence[ClientMessage], earlier: Earlier) -> list[ModelMessage]:
    """What was said before, and what is said now. Consecutive words of one side are one message."""
    made: list[ModelMessage] = [*before]
    names = {
        part.tool_call_id: part.tool_name for each in made for part in each.parts if isinstance(part, ToolCallPart)
    }
    for each in said:
        names |= {call.id: call.name for call in each.calls}
        match each.role:
            case "assistant":
                made += _reply(each, earlier)
            case "tool":
                name = names.get(each.answers or "", "tool")
                back = ToolReturnPart(tool_name=name, content=each.text, tool_call_id=each.answers or "")
                _ask(made, back)
            case "user":
                _ask(made, UserPromptPart(content=_content(each.parts)))
    return made


def dumped(messages: list[ModelMessage]) -> list[WireBody]:
    return ModelMessagesTypeAdapter.dump_python(messages, mode="json", exclude_none=True)


def _reply(said: ClientMessage, earlier: Earlier) -> list[ModelMessage]:
    ours = OUR_CALL.fullmatch(said.calls[0].id) if said.calls else None
    if ours and (done := earlier.get(UUID(ours[1]))):
        return done
    text = [TextPart(said.text)] if said.text else []
    calls = [ToolCallPart(call.name, call.arguments or "{}", tool_call_id=call.id) for call in said.calls]
    return [ModelResponse(parts=[*text, *calls])] if text or calls else []


def _ask(made: list[ModelMessage], part: UserPromptPart | ToolReturnPart) -> None:
    if made and isinstance(made[-1], ModelRequest):
        # What came back from calls goes before anything else that is said.
        parts = sorted([*made[-1].parts, part], key=lambda each: not isinstance(each, ToolReturnPart))
        made[-1] = replace(made[-1], parts=parts)
    else:
        made.append(ModelRequest(parts=[part]))


def _content(parts: Sequence[ClientPart]) -> str | list[UserContent]:
    if not any(part.image for part in parts):
        return "\n".join(part.text for part in parts)
    return [image(part.image) if part.image else part.text for part in parts if part.image or part.text]


def image(url: str) -> ImageUrl | BinaryContent:
    """An image by its address, or what a `data:` URL holds."""
    if not url.startswith("data:"):
        return ImageUrl(url=url)
    return BinaryContent(data=_bytes(url), media_type=url[5:].partition(";")[0])


def _bytes(url: str) -> bytes:
    try:
        return base64.b64decode(url.partition(",")[2], validate=True)
    except binascii.Error as error:
        raise Refused.invalid(f"an image's data: URL is no base64 ({error})") from error
