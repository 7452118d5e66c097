"""A foreign tool's definition: what it says, its fingerprint, and whether arguments fit it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from functools import cache
from itertools import count
from typing import Any

from hq.door.strict_schema import decoded, dereferenced, object_fields
from hq.errors import Refused
from hq.json_types import JsonObject

Definition = JsonObject
SAID = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
LARGEST = 64 * 1024
MISSHAPEN = (AttributeError, KeyError, TypeError, ValueError)
"""What a schema raises whose parts are not what they should be: a list where there should be an object, and so on."""
MOST_FOLLOWED = 10_000
FOLLOWED: ContextVar[Iterator[int]] = ContextVar("references followed")


def kept(raw: Mapping[str, Any]) -> Definition:
    """What counts of a definition: all that a model or a gate would go by."""
    made = {key: raw[key] for key in SAID if raw.get(key) is not None}
    if len(json.dumps(made)) > LARGEST:
        raise Refused.invalid(f"one of its tools has a definition larger than {LARGEST // 1024} KiB")
    return made


def fingerprint(definition: Definition) -> str:
    text = json.dumps(definition, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def hint(definition: Mapping[str, Any], name: str) -> bool | None:
    """What the server says of its own tool, such as `readOnlyHint`; worth as much as whoever accepted it thought."""
    said = (definition.get("annotations") or {}).get(name)
    return said if isinstance(said, bool) else None


def takes(definition: Mapping[str, Any]) -> JsonObject:
    """Its input schema with every reference written out."""
    return dereferenced(definition.get("inputSchema") or {"type": "object"})


def fitted(definition: Mapping[str, Any], values: Mapping[str, Any]) -> JsonObject:
    """The arguments as the tool takes them, or a refusal that says what does not fit."""
    from jsonschema.exceptions import SchemaError, best_match
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    schema, followed = definition.get("inputSchema") or {"type": "object"}, FOLLOWED.set(count(1))
    try:
        given = decoded(values, object_fields(takes(definition)))
        _validator().check_schema(schema)
        # A registry of its own, or a foreign `$ref` would make us fetch whatever it names.
        error = best_match(_validator()(schema, registry=Registry()).iter_errors(given))
    except (SchemaError, Unresolvable, RecursionError, *MISSHAPEN) as broken:
        raise Refused.conflict(
            f"{definition['name']} declares a schema that cannot be used: {_short(broken)}"
        ) from None
    finally:
        FOLLOWED.reset(followed)
    if error is not None:
        where = ".".join(map(str, error.absolute_path))
        raise Refused.invalid(f"{definition['name']}: {where + ': ' if where else ''}{_short(error)}")
    return given


@cache
def _validator() -> Any:
    """The standard's, but that a stranger's patterns are not tried (one can take for ever; its server will), and that
    references are followed only so often (thirty of them can lead round a thousand million times)."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    known = Draft202012Validator.VALIDATORS

    def follow(validator: Any, ref: Any, instance: Any, schema: Any) -> Any:
        if next(FOLLOWED.get()) > MOST_FOLLOWED:
            raise RecursionError("it refers to itself too often")
        return known["$ref"](validator, ref, instance, schema)

    def named(validator: Any, more: Any, instance: Any, schema: Any) -> Any:
        return () if "patternProperties" in schema else known["additionalProperties"](validator, more, instance, schema)

    untried = dict.fromkeys(("pattern", "patternProperties", "unevaluatedProperties"), lambda *_: ())
    return extend(Draft202012Validator, {**untried, "$ref": follow, "additionalProperties": named})


def _short(error: Exception) -> str:
    text = str(getattr(error, "message", error))
    return text if len(text) <= 300 else text[:300] + "…"
