"""Strict schemas, JSON Schemas as every model's strict mode takes them: no references, no open objects, no limits in
keywords.

What a keyword said that strict modes do not take (a range, a length) stays in words or is left to the door, which
checks everything anyway.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any

from hq.errors import Refused
from hq.json_text import json_value
from hq.json_types import CallArgs, JsonSchema

NO_FIELD: JsonSchema = {}
KEPT = ("type", "enum", "const", "format", "items", "properties", "required", "anyOf", "description")
FORMATS = ("date-time", "date", "time", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid")
AS_JSON = "As JSON text."
MOST_PARTS = 5_000
"""Beyond that many parts a foreign schema's references stay unread: a small one can say itself a million times."""


def strict(part: JsonSchema) -> JsonSchema:
    """One field, strictly. An object without named properties becomes JSON text; one that may be anything, text."""
    part = _without_null(part if isinstance(part, dict) else {})
    if is_open_object(part):
        return {"type": "string", "description": _with_hint(part.get("description"), AS_JSON)}
    made = {key: part[key] for key in KEPT if key in part}
    if "const" in made:
        made["enum"] = [made.pop("const")]
    if made.get("format") not in FORMATS:
        made.pop("format", None)
    if said := _range(part):
        made["description"] = _with_hint(made.get("description"), said)
    if "properties" in made:
        made["properties"] = {name: strict(inner) for name, inner in made["properties"].items()}
        made["additionalProperties"] = False
    if "items" in made:
        made["items"] = strict(made["items"]) if made["items"] else {"type": "string"}
    elif made.get("type") == "array":
        made["items"] = {"type": "string"}
    if "anyOf" in made:
        made["anyOf"] = [strict(option) for option in made["anyOf"]]
    if not {"type", "enum", "anyOf"} & set(made):
        made["type"] = "string"
    return made


def merged(known: JsonSchema, more: JsonSchema) -> JsonSchema:
    """The same field of two actions: alike, or either; the first one's words stand."""
    if not known:
        return more
    says = {"description": said} if (said := known.get("description") or more.get("description")) else {}
    first, second = _wordless(known), _wordless(more)
    if first == second:
        return first | says
    if "enum" in first and "enum" in second:
        return first | {"enum": list(dict.fromkeys([*first["enum"], *second["enum"]]))} | says
    if _looser(first, second):
        return second | says
    if _looser(second, first):
        return first | says
    options = [*first.get("anyOf", [first]), *second.get("anyOf", [second])]
    return {"anyOf": [o for n, o in enumerate(options) if o not in options[:n]]} | says


def _looser(one: JsonSchema, other: JsonSchema) -> bool:
    """Whether everything the one allows the other allows too, in the simple cases that occur."""
    return set(other) == {"type"} and other["type"] == one.get("type")


def is_open_object(part: Mapping[str, Any]) -> bool:
    if "allOf" in part and "type" not in part:
        return True
    return part.get("type") == "object" and not part.get("properties")


def dereferenced(schema: JsonSchema, depth: int = 8) -> JsonSchema:
    """A foreign schema with its own references written out; what goes round in circles becomes an open object."""
    definitions = {**schema.get("definitions", {}), **schema.get("$defs", {})}
    parts = count()

    def inline(part: Any, left: int) -> Any:
        if isinstance(part, list):
            return [inline(item, left) for item in part]
        if not isinstance(part, dict):
            return part
        read = next(parts)
        if (ref := part.get("$ref")) is not None:
            found = definitions.get(str(ref).rsplit("/", 1)[-1])
            if left == 0 or read > MOST_PARTS or not isinstance(found, dict):
                return {"type": "object"}
            return inline({**found, **{key: value for key, value in part.items() if key != "$ref"}}, left - 1)
        return {key: inline(value, left) for key, value in part.items() if key not in ("$defs", "definitions")}

    return inline(schema, depth)


def object_fields(schema: Mapping[str, Any]) -> frozenset[str]:
    """The fields that a tool takes as JSON text because they are open objects."""
    parts = schema.get("properties", {}).items()
    return frozenset(name for name, part in parts if isinstance(part, dict) and is_open_object(_without_null(part)))


def decoded(values: Mapping[str, Any], objects: frozenset[str]) -> CallArgs:
    """The values, with JSON text turned back into what it says."""
    return {name: _read(name, value) if name in objects else value for name, value in values.items()}


def _read(name: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json_value(value)
    except ValueError as error:
        raise Refused.invalid(f'{name}: is not JSON ({error}); say it like {{"key": "value"}}') from None


def _without_null(part: JsonSchema) -> JsonSchema:
    """A field that may be null is one that may be left out. Several types, however said, are said as `anyOf`."""
    if isinstance(part.get("type"), list):
        rest = {key: value for key, value in part.items() if key != "type"}
        return _without_null({"anyOf": [{**rest, "type": each} for each in part["type"]], **_words(part)})
    options = part.get("anyOf") or part.get("oneOf")
    if not options:
        return part
    left = [option for option in options if option.get("type") != "null"]
    rest = {key: value for key, value in part.items() if key not in ("anyOf", "oneOf")}
    return {**left[0], **rest} if len(left) == 1 else {**rest, "anyOf": left}


def _words(part: JsonSchema) -> JsonSchema:
    return {"description": part["description"]} if "description" in part else {}


def _wordless(part: JsonSchema) -> JsonSchema:
    return {key: value for key, value in part.items() if key != "description"}


def _range(part: JsonSchema) -> str:
    low, high = part.get("minimum", part.get("exclusiveMinimum")), part.get("maximum")
    if low is not None and high is not None:
        return f"From {low:g} to {high:g}."
    return f"At least {low:g}." if low is not None else f"At most {high:g}." if high is not None else ""


def _with_hint(text: str | None, more: str) -> str:
    if text and more.rstrip(".").lower() in text.lower():
        return text
    return f"{text.rstrip('.')}. {more}" if text else more
