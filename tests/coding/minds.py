"""A mind that says what a test tells it to, whichever coding program asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart

from hq.minds.mind import MindRequest, Reply, TokenUsage
from hq.minds.scripted.shell_tools import done_by
from hq.minds.service import Minds

Says = str | tuple[str, dict[str, Any]] | list[tuple[str, dict[str, Any]]]


@dataclass
class Told:
    """Answers with its n-th line, n being how often it has answered in the conversation it is shown."""

    lines: Sequence[Says]
    asked: list[MindRequest] = field(default_factory=list)
    name: str = "told"

    async def answer(self, ask: MindRequest, *, on_text: Any = None) -> Reply:
        self.asked.append(ask)
        turn = sum(isinstance(message, ModelResponse) and self._said(message) for message in ask.messages)
        says = self.lines[min(turn, len(self.lines) - 1)]
        calls = [] if isinstance(says, str) else says if isinstance(says, list) else [says]
        parts = [TextPart(says)] if isinstance(says, str) else []
        tools = {tool.name: tool for tool in ask.tools}
        done = [done_by(name, args, tools) for name, args in calls]  # Codex has a shell and nothing else
        made = [ToolCallPart(name, dict(args), tool_call_id=f"call_{turn}_{n}") for n, (name, args) in enumerate(done)]
        return Reply(ModelResponse(parts=[*parts, *made]), "told:test", TokenUsage(100, 10), Decimal("0.25"), 1.0)

    def _said(self, response: ModelResponse) -> bool:
        """Whether it said that itself: Claude puts down an answer of its own ("API Error: …") where it got none."""
        return any(
            isinstance(part, ToolCallPart) or getattr(part, "content", None) in self.lines for part in response.parts
        )


def tell(hq: Any, monkeypatch: Any, *lines: Says) -> Told:
    """From now on this is the company's mind."""
    told = Told(lines)

    async def mind(tenant: Any, tier: Any = "default") -> Told:
        return told

    monkeypatch.setattr(hq.door.services[Minds], "mind", mind)
    return told


def bash(command: str) -> tuple[str, dict[str, Any]]:
    return "Bash", {"command": command, "description": "For the test"}
