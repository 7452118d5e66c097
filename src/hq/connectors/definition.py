"""A foreign tool's definition: what it says, its fingerprint, and whether arguments fit it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from hq.door.flat import decoded, dereferenced, object_fields
from hq.errors import Refused

Definition = dict[str, Any]
SAID = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
LARGEST = 64 * 1024


def kept(raw: Mapping[str, Any]) -> Definition:
    """What counts of a definition: all that a model or a gate would go by."""
    made = {key: raw[key] for key in SAID if raw.get(key) is not None}
    if len(json.dumps(made)) > LARGEST:
        raise Refused.invalid(f"the definition of the tool {raw.get('name')!r} is larger than {LARGEST // 1024} KiB")
    return made


def fingerprint(definition: Definition) -> str:
    text = json.dumps(definition, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def hint(definition: Mapping[str, Any], name: str) -> bool | None:
    """What the server says of its own tool, such as `readOnlyHint`; worth as much as whoever accepted it thought."""
    said = (definition.get("annotations") or {}).get(name)
    return said if isinstance(said, bool) else None


def takes(definition: Mapping[str, Any]) -> dict[str, Any]:
    """Its input schema with every reference written out."""
    return dereferenced(definition.get("inputSchema") or {"type": "object"})


def fitted(definition: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as the tool takes them, or a refusal that says what does not fit."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError, best_match
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    given = decoded(values, object_fields(takes(definition)))
    schema = definition.get("inputSchema") or {"type": "object"}
    try:
        Draft202012Validator.check_schema(schema)
        # A registry of its own, or a foreign `$ref` would make us fetch whatever it names.
        error = best_match(Draft202012Validator(schema, registry=Registry()).iter_errors(given))
    except (SchemaError, Unresolvable) as broken:
        raise Refused.conflict(
            f"{definition['name']} declares a schema that cannot be used: {_short(broken)}"
        ) from None
    if error is not None:
        where = ".".join(map(str, error.absolute_path))
        raise Refused.invalid(f"{definition['name']}: {where + ': ' if where else ''}{_short(error)}")
    return given


def _short(error: Exception) -> str:
    text = str(getattr(error, "message", error))
    return text if len(text) <= 300 else text[:300] + "…"
