"""A conversation with a mind over the real door: its tool calls become verb calls, as the session loop makes them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from pydantic_ai.messages import ModelMessage, ModelRequest, ToolCallPart, ToolReturnPart
from pydantic_ai.tools import ToolDefinition

from hq.door.tool_call import tool_call
from hq.door.verb import Registry
from hq.graph.catalogue import flat_schema
from hq.minds.mind import Mind, MindRequest
from tests.support.company import Hq

CHIEF = (
    "You are chief.\nCurrent time: 2026-01-01T10:00:00+00:00 (Thursday).\n"
    'When you have truly finished emit on its own line: <task-complete reason="..."/>'
)


def tools_of(registry: Registry, *nouns: str) -> list[ToolDefinition]:
    """The tools of some nouns, with all their fields."""
    found = []
    for verb in registry:
        if not nouns or verb.noun in nouns:
            schema = flat_schema(verb.args)
            properties = {
                name: {k: v for k, v in part.items() if k != "description"}
                for name, part in schema.get("properties", {}).items()
            }
            schema = {"type": "object", "properties": properties, "required": schema.get("required", [])}
            found.append(ToolDefinition(name=f"{verb.noun}_{verb.action}", parameters_json_schema=schema))
    return found


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
        assert call.tool_name in {tool.name for tool in self.tools}
        meant = tool_call(self.hq.door.registry, call.tool_name, call.args_as_dict())
        self.calls.append(meant.verb)
        outcome = await self.hq.call(meant.verb, _reason=meant.reason, **meant.args)
        return ToolReturnPart(call.tool_name, json.dumps(outcome.as_dict()), call.tool_call_id)
