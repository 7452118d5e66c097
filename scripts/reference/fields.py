"""The fields of a model as a table, from its JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import BaseModel

from hq.graph.catalogue import flat_schema
from scripts.reference.markdown import codes, paragraph, table


def fields(model: type[BaseModel], called: str, order: Sequence[str] | None = None) -> Iterator[str]:
    schema = flat_schema(model)
    parts, required = schema.get("properties", {}), schema.get("required", ())
    return table(
        (called, "type", "default", "meaning"),
        [
            (f"`{name}`", _kind(parts[name]), _default(parts[name], name in required), _meaning(parts[name]))
            for name in (parts if order is None else order)
        ],
    )


def _meaning(part: dict[str, Any]) -> str:
    notes = [paragraph(part.get("description", ""))]
    notes += ["By its place on the command line."] if part.get("positional") else []
    return " ".join(note for note in notes if note)


def _default(part: dict[str, Any], required: bool) -> str:
    if required:
        return "required"
    value = part.get("default")
    return "" if value in (None, "", [], {}) else f"`{json.dumps(value, ensure_ascii=False)}`"


def _kind(part: dict[str, Any]) -> str:
    """A JSON Schema in a word or two."""
    kinds = [kind for kind in part.get("anyOf", [part]) if kind.get("type") != "null"]
    return " or ".join(dict.fromkeys(_one_kind(kind) for kind in kinds))


def _one_kind(part: dict[str, Any]) -> str:
    if "enum" in part:
        return " \\| ".join(f"`{value}`" for value in part["enum"])
    if "const" in part:
        return f"`{part['const']}`"
    match part.get("type"):
        case "array":
            return f"list of {_kind(part.get('items', {}))}"
        case "string" if part.get("format") == "date-time":
            return "moment"
        case "object" if part.get("properties"):
            return f"object of {codes(part['properties'])}"
        case "integer" | "number" as kind:
            return kind + _range(part)
        case kind:
            return str(kind or "anything")


def _range(part: dict[str, Any]) -> str:
    low, high = part.get("minimum"), part.get("maximum")
    if low is not None and high is not None and high < 2**31:
        return f", {low:g} to {high:g}"
    if "exclusiveMinimum" in part:
        return f", above {part['exclusiveMinimum']:g}" + (f", to {high:g}" if high is not None else "")
    return f", from {low:g}" if low is not None else ""
