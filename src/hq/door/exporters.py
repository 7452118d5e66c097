"""Tools in the words of each SDK. Every function takes the one definition and gives what that SDK takes, as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from hq.door.toolset import CHARACTERS_PER_TOKEN, Tool
from hq.json_types import JsonSchema

Format = Literal["anthropic", "openai", "langchain", "hermes", "mcp"]


def anthropic(tool: Tool) -> JsonSchema:
    """For `tools=` of the Messages API and the Claude Agent SDK."""
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": closed(tool.schema),
        "strict": True,
        "input_examples": [dict(example) for example in tool.examples],
    }


def openai(tool: Tool) -> JsonSchema:
    """For `tools=` of chat completions. Strict mode there wants every field named as needed, so absence is null."""
    function = {
        "name": tool.name,
        "description": _description(tool),
        "parameters": all_needed(closed(tool.schema)),
        "strict": True,
    }
    return {"type": "function", "function": function}


def langchain(tool: Tool) -> JsonSchema:
    """For `StructuredTool(**spec, func=…)`, whose `args_schema` may be a JSON Schema."""
    return {"name": tool.name, "description": _description(tool), "args_schema": tool.schema | {"title": tool.name}}


def hermes(tool: Tool) -> JsonSchema:
    """For the `<tools>` of a Hermes system prompt; the model answers with `<tool_call>{"name", "arguments"}`."""
    return {
        "type": "function",
        "function": {"name": tool.name, "description": _description(tool), "parameters": tool.schema},
    }


def mcp(tool: Tool) -> JsonSchema:
    """As `tools/list` of the Model Context Protocol has it."""
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.schema,
        "annotations": {
            "readOnlyHint": tool.read_only,
            "destructiveHint": tool.destructive,
            "idempotentHint": tool.idempotent,
            "openWorldHint": tool.outside,
        },
        **({"_meta": {"hq/taint": list(tool.marks)}} if tool.marks else {}),
    }


EXPORTERS: Mapping[Format, Callable[[Tool], JsonSchema]] = {
    "anthropic": anthropic,
    "openai": openai,
    "langchain": langchain,
    "hermes": hermes,
    "mcp": mcp,
}


def export(tools: Iterable[Tool], form: Format) -> list[JsonSchema]:
    return [EXPORTERS[form](tool) for tool in tools]


def hermes_prompt(tools: list[JsonSchema]) -> str:
    """The part of the system prompt that names the tools."""
    return f"<tools> {json.dumps(tools, ensure_ascii=False)} </tools>"


def tokens(exported: Any) -> int:
    """About how many tokens a model reads for this."""
    return math.ceil(len(json.dumps(exported, ensure_ascii=False, separators=(",", ":"))) / CHARACTERS_PER_TOKEN)


def closed(schema: JsonSchema) -> JsonSchema:
    """The same schema with no field beside the named ones, as strict modes want it."""
    return schema | {"additionalProperties": False}


def all_needed(schema: JsonSchema) -> JsonSchema:
    """The same schema where every field is required and those that were not may be null."""
    made = {key: value for key, value in schema.items() if key not in ("properties", "required")}
    if "properties" in schema:
        needed = schema.get("required", ())
        made["properties"] = {
            name: all_needed(part) if name in needed else _nullable(all_needed(part))
            for name, part in schema["properties"].items()
        }
        made["required"] = list(schema["properties"])
    if "items" in made:
        made["items"] = all_needed(made["items"])
    if "anyOf" in made:
        made["anyOf"] = [all_needed(option) for option in made["anyOf"]]
    return made


def _nullable(part: JsonSchema) -> JsonSchema:
    if "anyOf" in part:
        return part | {"anyOf": [*part["anyOf"], {"type": "null"}]}
    made = part | {"type": [part["type"], "null"]} if "type" in part else dict(part)
    return made | {"enum": [*part["enum"], None]} if "enum" in part else made


def _description(tool: Tool) -> str:
    """The description with an example, for formats that have no place of their own for one."""
    if not tool.examples:
        return tool.description
    return f"{tool.description} Example: {json.dumps(dict(tool.examples[0]), ensure_ascii=False)}"
