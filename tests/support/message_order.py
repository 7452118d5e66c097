"""Message order: what OpenAI, servers with strict chat templates and Anthropic refuse of a request with HTTP 400, so that tests refuse
it too.

Whatever a test's provider is sent is checked. What is wrong is answered as the provider would, and fails the test, for the product may go
on by itself after such an answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage


REFUSED: list[str] = []
"""What was wrong in requests of the running test."""


def checked(body: Any, path: str) -> str | None:
    """What the provider at that path refuses of this, which is kept to fail the test."""
    if not isinstance(body, dict) or not isinstance(body.get("messages"), list):
        return None
    wrong = wrong_for_anthropic(body) if path.endswith("/messages") else wrong_for_openai(body)
    if wrong:
        REFUSED.append(wrong)
    return wrong


def wrong_for_openai(body: dict[str, Any]) -> str | None:
    messages: list[dict[str, Any]] = body["messages"]
    if not messages:
        return "[] is too short - 'messages'"
    owed: set[str] = set()
    for number, message in enumerate(messages):
        role, content = message["role"], message.get("content")
        if role == "tool":
            if message["tool_call_id"] not in owed:
                return f"messages.[{number}]: messages with role 'tool' must be a response to a preceding message with 'tool_calls'"
            owed.discard(message["tool_call_id"])
            continue
        if owed:
            return f"messages.[{number}]: these tool_call_ids did not have response messages: {sorted(owed)}"
        if role in ("system", "developer") and number:
            return f"messages.[{number}]: system message must be at the beginning, and one"
        if number and role == messages[number - 1]["role"]:
            return f"messages.[{number}]: conversation roles must alternate user/assistant/user/assistant/..."
        called = [call["id"] for call in message.get("tool_calls") or []]
        if len(set(called)) < len(called):
            return f"messages.[{number}]: duplicate tool_call ids"
        if not called and _is_empty(content):
            return f"messages.[{number}].content: a text must not be empty"
        owed = set(called)
    return f"the last calls have no response messages: {sorted(owed)}" if owed else None


def wrong_for_anthropic(body: dict[str, Any]) -> str | None:
    messages: list[dict[str, Any]] = body["messages"]
    if not messages or messages[0]["role"] != "user":
        return 'messages: first message must use the "user" role'
    if messages[-1]["role"] != "user":
        return "messages: the conversation must end with a user message"
    owed: set[str] = set()
    seen: set[str] = set()
    for number, message in enumerate(_joined(messages)):
        blocks = message["content"]
        if not blocks or any(block["type"] == "text" and not block["text"].strip() for block in blocks):
            return f"messages.{number}: text content blocks must be non-empty"
        back = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        if set(back) - owed or len(set(back)) < len(back):
            return f"messages.{number}: unexpected tool_use_id found in tool_result blocks: {sorted(set(back) - owed)}"
        if missing := owed - set(back):
            return f"messages.{number}: tool_use ids were found without tool_result blocks immediately after: {sorted(missing)}"
        if any(block["type"] == "tool_result" for block in blocks[len(back) :]):
            return f"messages.{number}: tool_result blocks must come first"
        called = [block["id"] for block in blocks if block["type"] == "tool_use"]
        if len(set(called)) < len(called) or seen & set(called):
            return f"messages.{number}: tool_use ids must be unique"
        owed = set(called)
        seen |= owed
    system = body.get("system") or []
    if not isinstance(system, str) and any(not block["text"].strip() for block in system):
        return "system: text content blocks must be non-empty"
    marks = sum("cache_control" in block for block in _blocks(body))
    return f"a maximum of 4 blocks with cache_control may be provided, found {marks}" if marks > 4 else None


def wrong_in(messages: Sequence[ModelMessage]) -> str | None:
    """The same of messages that no wire has written yet."""
    owed: set[str] = set()
    for number, message in enumerate(messages):
        if not message.parts:
            return f"message {number} is empty"
        if any(p.part_kind in ("text", "user-prompt", "system-prompt") and not p.content for p in message.parts):
            return f"message {number} has an empty text"
        if message.kind == "response":
            if owed:
                return f"message {number} comes before results of {sorted(owed)}"
            owed = {part.tool_call_id for part in message.parts if part.part_kind == "tool-call"}
            continue
        for part in message.parts:
            if part.part_kind == "tool-return":
                if part.tool_call_id not in owed:
                    return f"message {number} has a result without its call: {part.tool_call_id}"
                owed.discard(part.tool_call_id)
            elif owed:
                return f"message {number} says something before results of {sorted(owed)}"
    if owed:
        return f"no results of {sorted(owed)}"
    return None if messages and messages[-1].kind == "request" else "it ends with nothing to answer"


def _is_empty(content: Any) -> bool:
    texts = [content] if isinstance(content, str) or content is None else [p.get("text", "-") for p in content]
    return not texts or any(not text for text in texts)


def _joined(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Turns of one side after the other are one, as the provider reads them."""
    turns: list[dict[str, Any]] = []
    for message in messages:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if turns and turns[-1]["role"] == message["role"]:
            turns[-1]["content"] = [*turns[-1]["content"], *blocks]
        else:
            turns.append({"role": message["role"], "content": blocks})
    return turns


def _blocks(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from body.get("tools") or []
    for each in (body.get("system") or [], *(message["content"] for message in body["messages"])):
        if not isinstance(each, str):
            yield from each
