"""Fault texts: what is wrong with a value, as a sentence for people. The one place where pydantic's own words are translated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

MOST = 5
MANY = 100
"""Faults that are not looked at one by one: who makes so many knows what it does."""
SAYS = {
    "missing": "is missing",
    "extra_forbidden": "is not known here",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "string_too_long": "may have at most {max_length} characters",
    "too_long": "may have at most {max_length} entries",
    "string_pattern_mismatch": "does not have the form {pattern}",
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
    "string_type": "must be text",
    "list_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
} | {
    **dict.fromkeys(("float_parsing", "float_type", "decimal_parsing", "finite_number"), "must be a number"),
    **dict.fromkeys(("int_parsing", "int_parsing_size", "int_type", "int_from_float"), "must be a whole number"),
    **dict.fromkeys(("bool_parsing", "bool_type"), "must be true or false"),
}  # fmt: skip


def fault_text(error: ValidationError, what: str) -> str:
    """Each field and what is wrong with it."""
    if error.error_count() > MANY:
        return f"{what}: {error.error_count():,} values do not fit"
    return "; ".join(_fault(each, what) for each in faults(error)[:MOST])


def faults(error: ValidationError) -> list[ErrorDetails]:
    """One by one, where there are not too many."""
    return error.errors(include_url=False, include_input=False) if error.error_count() <= MANY else []


def _fault(each: Mapping[str, Any], what: str) -> str:
    field, ctx = ".".join(map(str, each["loc"])) or what, each.get("ctx", {})
    match each["type"]:
        case "string_too_short" | "too_short" if ctx["min_length"] == 1:
            return f"{field} must not be empty"
        case "string_too_short":
            return f"{field} must have at least {ctx['min_length']:,} characters"
        case "too_short":
            return f"{field} must have at least {ctx['min_length']:,} entries"
        case "value_error" | "assertion_error":
            return f"{field}: {each['msg'].partition(', ')[2]}"
        case known if known in SAYS:
            return f"{field} {SAYS[known].format(**{name: _number(value) for name, value in ctx.items()})}"
        case _:
            return f"{field}: {each['msg']}"


def _number(value: Any) -> Any:
    """A number as one writes it: 1,000,000 and not 1000000.0."""
    if not isinstance(value, int | float):
        return value
    return f"{value:,.0f}" if value == int(value) else f"{value:,}"
