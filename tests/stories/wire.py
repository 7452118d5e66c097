"""What goes over the wire: the bodies of requests as a provider gets them, and how much of each it has kept."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import httpx2

from hq.clock import Clock
from hq.minds.config import MindConfig
from hq.minds.mind import MindRequest
from hq.minds.provider import ProviderMind
from tests.support.message_order import checked

ANSWER: dict[str, Any] = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "x", "stop_reason": "end_turn", "stop_sequence": None,
    "content": [{"type": "text", "text": "Well."}], "usage": {"input_tokens": 1, "output_tokens": 1},
}  # fmt: skip
SAID = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Well."}}
COMPLETION: dict[str, Any] = {
    "id": "c1", "object": "chat.completion", "created": 1, "model": "x", "choices": [SAID],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}  # fmt: skip


async def sent(asks: list[MindRequest], clock: Clock, wire: str = "anthropic") -> list[dict[str, Any]]:
    """The body of each request as it leaves for the provider."""
    bodies: list[dict[str, Any]] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        bodies.append(json.loads(request.content))
        checked(bodies[-1], request.url.path)
        return httpx2.Response(200, json=ANSWER if wire == "anthropic" else COMPLETION)

    config = MindConfig(
        "m", wire, "claude-sonnet-4-5" if wire == "anthropic" else "gpt-5.4", "http://models.example/v1"
    )
    async with httpx2.AsyncClient(transport=httpx2.MockTransport(answer)) as http:
        mind = ProviderMind(config, "key", http, clock)
        for ask in asks:
            await mind.answer(replace(ask, heard=None))  # answered at once: the server here does not stream
    return bodies


def blocks(body: dict[str, Any]) -> list[tuple[str, bool]]:
    """What a prefix cache sees, in order; whether each ends what is kept."""
    found: list[tuple[str, bool]] = []
    system = body.get("system") or []
    parts = [*(body.get("tools") or []), *([{"text": system}] if isinstance(system, str) else system)]
    for message in body["messages"]:
        content = message.get("content")
        several = [{"text": content}] if isinstance(content, str) or content is None else content
        parts += [{"role": message["role"], "calls": message.get("tool_calls"), **part} for part in several]
    for part in parts:
        found.append((json.dumps({k: v for k, v in part.items() if k != "cache_control"}), "cache_control" in part))
    return found


def kept(before: dict[str, Any], body: dict[str, Any]) -> float:
    """The share of what was kept of a request that the next one begins with."""
    first, then = blocks(before), [text for text, _ in blocks(body)]
    last = max(n for n, (_, ends) in enumerate(first) if ends)
    prefix = [text for text, _ in first[: last + 1]]
    return sum(len(a) for a, b in zip(prefix, then, strict=False) if a == b) / sum(map(len, prefix))


def tokens(body: dict[str, Any]) -> int:
    return sum(len(text) for text, _ in blocks(body)) // 4
