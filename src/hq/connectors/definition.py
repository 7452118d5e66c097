"""A foreign tool's definition: what it says, its fingerprint, and whether arguments fit it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict, cast

from hq import json_schema
from hq.door.strict_schema import decoded, dereferenced, object_fields
from hq.errors import Refused
from hq.json_types import CallArgs, JsonSchema, WireBody


class McpToolDefinition(TypedDict):
    """What counts of a foreign tool's definition, under the protocol's own names."""

    name: str
    title: NotRequired[str]
    description: NotRequired[str]
    inputSchema: NotRequired[JsonSchema]
    outputSchema: NotRequired[JsonSchema]
    annotations: NotRequired[WireBody]


SAID = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
LARGEST = 64 * 1024


def kept(raw: Mapping[str, Any]) -> McpToolDefinition:
    """What counts of a definition: all that a model or a gate would go by."""
    made = {key: raw[key] for key in SAID if raw.get(key) is not None}
    if len(json.dumps(made)) > LARGEST:
        raise Refused.invalid(f"one of its tools has a definition larger than {LARGEST // 1024} KiB")
    return cast("McpToolDefinition", made)


def fingerprint(definition: McpToolDefinition) -> str:
    text = json.dumps(definition, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def hint(definition: McpToolDefinition | None, name: str) -> bool | None:
    """What the server says of its own tool, such as `readOnlyHint`; worth as much as whoever accepted it thought."""
    said = ((definition or {}).get("annotations") or {}).get(name)
    return said if isinstance(said, bool) else None


def takes(definition: McpToolDefinition) -> JsonSchema:
    """Its input schema with every reference written out."""
    return dereferenced(definition.get("inputSchema") or {"type": "object"})


async def fitted(definition: McpToolDefinition, values: Mapping[str, Any]) -> CallArgs:
    """The arguments as the tool takes them, or a refusal that says what does not fit."""
    schema = definition.get("inputSchema") or {"type": "object"}
    try:
        given = decoded(values, object_fields(takes(definition)))
        wrong = await json_schema.wrong(schema, given)
    except (json_schema.SchemaUnusable, RecursionError, *json_schema.MISSHAPEN) as broken:
        said = json_schema.short(broken)
        raise Refused.conflict(f"{definition['name']} declares a schema that cannot be used: {said}") from None
    if wrong is not None:
        raise Refused.invalid(f"{definition['name']}: {wrong}")
    return given
