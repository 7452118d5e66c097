"""An answer's format: whether what a mind said is the JSON that a program wants, and what to tell the mind where it is not."""

from __future__ import annotations

import json
import re
from typing import Any

from hq import json_schema
from hq.json_text import json_value
from hq.json_types import JsonSchema

FENCED = re.compile(r"\A```(?:json)?\s*\n(.*?)\n?```\Z", re.S)


def told(format: JsonSchema) -> str:
    """What the mind is told before it answers."""
    if not format:
        return "Answer with one JSON object and nothing else: no words around it, no code fence."
    return (
        "Answer with JSON and nothing else: no words around it, no code fence. It must fit this JSON Schema:\n"
        + json.dumps(format, ensure_ascii=False, sort_keys=True)
    )


def bare(text: str) -> str:
    """Without the fence that minds like to put around it."""
    stripped = text.strip()
    fenced = FENCED.match(stripped)
    return fenced[1].strip() if fenced else stripped


async def unfit(arguments: str, schema: JsonSchema) -> str | None:
    """What is wrong with the arguments of a function that is held to its schema."""
    try:
        value: Any = json.loads(arguments or "{}")
    except (ValueError, RecursionError) as error:
        return f"they are no JSON ({error})"
    return await json_schema.wrong(schema, value)


async def lacks(text: str, format: JsonSchema) -> str | None:
    """What is wrong with an answer; nothing where it fits."""
    try:
        value: Any = json_value(bare(text))
    except ValueError as error:
        return f"it is no JSON ({error})"
    if not format:
        return None if isinstance(value, dict) else "it is no JSON object"
    return await json_schema.wrong(format, value)
