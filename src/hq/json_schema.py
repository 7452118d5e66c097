"""JSON Schemas that others wrote: whether one can be used, and whether a value fits it. Nothing is fetched, whatever a reference
names, and neither patterns nor references can make it take long: every step of a check is counted, and there are only so many."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any

from hq import patterns
from hq.errors import HqError
from hq.json_types import JsonSchema

LARGEST = 256 * 1024
"""Characters of a schema."""
MOST_STEPS = 200_000
"""Keywords that are tried of one value; about a second of work."""
MOST_PARTS = 100_000
"""Parts that a schema may have once its references are written out, as providers do it."""
STEP = 1_000
"""How much of a pattern's work, characters times its own size, counts as a step."""
PATTERN_MEMORY = 2**20
REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
UNTRIED = ("unevaluatedProperties", "unevaluatedItems")
"""What these say depends on everything beside them, and finding that out has no end."""
MISSHAPEN = (AttributeError, KeyError, TypeError, ValueError, ArithmeticError)
"""What a schema raises whose parts are not what they should be: a list where there should be an object, and so on."""
SHORT = 300


class SchemaUnusable(Exception):
    """A schema that nothing can be checked against, and why."""


@dataclass
class SchemaBudget:
    """What is left of a check's steps."""

    left: int = MOST_STEPS

    def take(self, steps: int = 1) -> None:
        self.left -= steps
        if self.left < 0:
            raise SchemaUnusable(
                "it takes too many steps to check: it refers to itself too often, or its patterns are too large"
            )


BUDGET: ContextVar[SchemaBudget] = ContextVar("steps of a check")


def check(schema: JsonSchema, *, tried: bool = True) -> None:
    """That it is a schema and refers to nothing outside itself; where values are tried, that all it says can be."""
    _check_size(schema)
    _shape(schema)
    for part in _parts(schema):
        for key in REFERENCES:
            _check_reference(schema, part.get(key))
        if tried:
            _check_part(part)
    if _written_out(schema) > MOST_PARTS:
        raise SchemaUnusable("its references say so much, written out, that no model could read it")


def wrong_with(schema: JsonSchema, value: Any) -> str | None:
    """What in a value does not fit, in a sentence; nothing where it fits. What of a pattern RE2 does not take is left untried."""
    from jsonschema.exceptions import best_match
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    _shape(schema)
    spent = BUDGET.set(SchemaBudget())
    try:
        # A registry of its own, or a foreign `$ref` would make us fetch whatever it names.
        error = best_match(_validator()(schema, registry=Registry()).iter_errors(value))
    except (Unresolvable, RecursionError, *MISSHAPEN) as broken:
        raise SchemaUnusable(short(broken)) from None
    finally:
        BUDGET.reset(spent)
    if error is None:
        return None
    where = ".".join(map(str, error.absolute_path))
    return f"{where + ': ' if where else ''}{short(error)}"


async def wrong(schema: JsonSchema, value: Any) -> str | None:
    """The same, while everybody else goes on."""
    return await asyncio.to_thread(wrong_with, schema, value)


def short(error: Exception) -> str:
    text = str(getattr(error, "message", error)) or type(error).__name__
    return text if len(text) <= SHORT else text[:SHORT] + "…"


def _check_size(schema: JsonSchema) -> None:
    try:
        size = len(json.dumps(schema))
    except RecursionError:
        raise SchemaUnusable("it is nested too deep") from None
    if size > LARGEST:
        raise SchemaUnusable(f"it is larger than {LARGEST // 1024} KiB")


def _check_part(part: Mapping[str, Any]) -> None:
    for pattern in _patterns(part):
        _compiled(pattern)
    if found := next((key for key in UNTRIED if isinstance(part.get(key), bool | dict)), None):
        raise SchemaUnusable(f"{found} is not checked; say additionalProperties or items instead")


def _shape(schema: JsonSchema) -> None:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    try:
        Draft202012Validator.check_schema(schema)
    except (SchemaError, RecursionError, *MISSHAPEN) as broken:
        raise SchemaUnusable(short(broken)) from None


def _parts(schema: Any) -> Iterator[Mapping[str, Any]]:
    """Every object in it, whatever it stands for."""
    left = [schema]
    while left:
        part = left.pop()
        if isinstance(part, dict):
            yield part
            left.extend(part.values())
        elif isinstance(part, list):
            left.extend(part)


def _patterns(part: Mapping[str, Any]) -> Iterator[str]:
    if isinstance(part.get("pattern"), str):
        yield part["pattern"]
    if isinstance(named := part.get("patternProperties"), dict):
        yield from named


def _compiled(pattern: str) -> Any:
    try:
        return patterns.compiled(pattern, memory=PATTERN_MEMORY)
    except HqError as error:
        raise SchemaUnusable(error.message) from None


def _check_reference(schema: JsonSchema, reference: Any) -> None:
    if not isinstance(reference, str):
        return
    if not reference.startswith("#"):
        raise SchemaUnusable(f"{reference[:200]!r} is somewhere else, and nothing is fetched; put it under $defs")
    if reference.startswith("#/") and _at(schema, reference) is None:
        raise SchemaUnusable(f"it refers to {reference[:200]!r}, and has no such part")


def _at(schema: JsonSchema, pointer: str) -> Any:
    from urllib.parse import unquote

    found: Any = schema
    for name in map(unquote, pointer.split("/")[1:]):
        name = name.replace("~1", "/").replace("~0", "~")
        if isinstance(found, dict):
            found = found.get(name)
        elif isinstance(found, list) and name.isdecimal() and int(name) < len(found):
            found = found[int(name)]
        else:
            return None
    return found


def _written_out(schema: JsonSchema) -> int:
    """How many parts it has with every reference written out; what goes round in circles stays one."""
    sizes: dict[str, int] = {}

    def size(part: Any) -> int:
        if isinstance(part, list):
            return sum(map(size, part))
        if not isinstance(part, dict):
            return 0
        reference = part.get("$ref")
        behind = of(reference) if isinstance(reference, str) and reference.startswith("#/") else 0
        return 1 + behind + sum(size(value) for key, value in part.items() if key not in ("$defs", "definitions"))

    def of(reference: str) -> int:
        if reference not in sizes:
            sizes[reference] = 1
            sizes[reference] = size(_at(schema, reference))
        return sizes[reference]

    try:
        return size(schema)
    except RecursionError:
        raise SchemaUnusable("it is nested too deep") from None


@cache
def _validator() -> Any:
    """The standard's, with every keyword counted and every pattern matched by RE2."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    own = {"pattern": _pattern, "patternProperties": _pattern_properties, "additionalProperties": _additional}
    own |= dict.fromkeys(UNTRIED, _untried)
    tried = {**Draft202012Validator.VALIDATORS, **own, "uniqueItems": _unique}
    return extend(Draft202012Validator, {name: _counted(keyword) for name, keyword in tried.items()})


def _counted(keyword: Any) -> Any:
    def count(validator: Any, said: Any, instance: Any, schema: Any) -> Any:
        BUDGET.get().take()
        return keyword(validator, said, instance, schema)

    return count


def _untried(*_: Any) -> tuple[()]:
    return ()


def _found(pattern: str, text: str) -> bool:
    """Whether it is found; where RE2 does not take it, who wrote it may try."""
    try:
        made = _compiled(pattern)
    except SchemaUnusable:
        return True
    BUDGET.get().take(len(text) * made.programsize // STEP)
    try:
        return made.search(text) is not None
    except UnicodeEncodeError:  # half of a pair, which is no character
        return False


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[Any]:
    from jsonschema.exceptions import ValidationError

    if validator.is_type(instance, "string") and not _found(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, named: Mapping[str, Any], instance: Any, schema: Any) -> Iterator[Any]:
    if validator.is_type(instance, "object"):
        for pattern, inner in named.items():
            for name, value in instance.items():
                if _found(pattern, name):
                    yield from validator.descend(value, inner, path=name, schema_path=pattern)


def _additional(validator: Any, more: Any, instance: Any, schema: JsonSchema) -> Any:
    if not validator.is_type(instance, "object"):
        return ()
    from jsonschema import Draft202012Validator

    matched = {name for pattern in schema.get("patternProperties", {}) for name in instance if _found(pattern, name)}
    rest = {name: value for name, value in instance.items() if name not in matched}
    beside = {key: value for key, value in schema.items() if key != "patternProperties"}
    return Draft202012Validator.VALIDATORS["additionalProperties"](validator, more, rest, beside)


def _unique(validator: Any, said: Any, instance: Any, schema: Any) -> Any:
    from jsonschema import Draft202012Validator

    if isinstance(instance, list):
        BUDGET.get().take(len(instance) ** 2 // STEP)  # what cannot be sorted is compared each with each
    return Draft202012Validator.VALIDATORS["uniqueItems"](validator, said, instance, schema)
