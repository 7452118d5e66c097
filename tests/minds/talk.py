"""A conversation with a mind over the real door: its tool calls become verb calls, as the session loop makes them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelRequest, ToolCallPart, ToolReturnPart
from pydantic_ai.tools import ToolDefinition

from hq.door.verb import Registry
from hq.graph.catalogue import flat_schema
from hq.minds.mind import Mind, MindRequest
from support import Hq

CHIEF = (
    "You are chief.\nCurrent time: 2026-01-01T10:00:00+00:00 (Thursday).\n"
    'When you have truly finished emit on its own line: <task-complete reason="..."/>'
)


def tools_of(registry: Registry, *nouns: str) -> list[ToolDefinition]:
    """One `hq_<noun>` tool with an `action` and the flat fields of all its verbs."""
    found: dict[str, dict[str, Any]] = {}
    for verb in registry:
        if not nouns or verb.noun in nouns:
            properties = found.setdefault(
                verb.noun, {"action": {"type": "string", "enum": []}, "reason": {"type": "string"}}
            )
            properties["action"]["enum"].append(verb.action)
            for name, part in flat_schema(verb.args).get("properties", {}).items():
                properties.setdefault(name, {k: v for k, v in part.items() if k != "description"})
    return [
        ToolDefinition(
            name=f"hq_{noun}", parameters_json_schema={"type": "object", "properties": p, "required": ["action"]}
        )
        for noun, p in found.items()
    ]


@dataclass
class Talk:
    hq: Hq
    mind: Mind
    tools: list[ToolDefinition]
    instructions: str = CHIEF
    messages: list[ModelMessage] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)

    async def say(self, text: str) -> str:
        """What is answered in the end, without the sentinel."""
        self.messages.append(ModelRequest.user_text_prompt(text))
        for _ in range(12):
            reply = await self.mind.answer(MindRequest(self.messages, self.tools, self.instructions))
            self.messages.append(reply.response)
            calls = [part for part in reply.response.parts if isinstance(part, ToolCallPart)]
            if not calls:
                answer, _, sentinel = (reply.response.text or "").partition("\n\n<task-complete")
                assert sentinel or "<task-complete" not in self.instructions
                return answer
            self.messages.append(ModelRequest(parts=[await self._made(call) for call in calls]))
        raise AssertionError("it goes on for ever")

    async def _made(self, call: ToolCallPart) -> ToolReturnPart:
        args = dict(call.args_as_dict())
        schema = next(tool for tool in self.tools if tool.name == call.tool_name).parameters_json_schema
        assert set(args) <= set(schema["properties"]), (
            f"{call.tool_name} takes no {set(args) - set(schema['properties'])}"
        )
        verb = f"{call.tool_name.removeprefix('hq_')}.{args.pop('action')}"
        self.calls.append(verb)
        reason = args.pop("reason", "")
        outcome = await self.hq.call(verb, _reason=reason, **args)
        return ToolReturnPart(call.tool_name, json.dumps(outcome.as_dict()), call.tool_call_id)
