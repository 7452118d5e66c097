"""A result as a mind is told it: one order of keys whenever it is told, and cut where it is long, with how to read on.

The journal keeps everything, as JSON of the database's own order. Told in that order from the first time on, a message is
the same to the byte when a session is read back, so what a provider has cached of it still fits.
"""

from __future__ import annotations

import json
import re
from typing import Any

from hq.door.tool_call import in_words_of
from hq.engine.sessions.steps import CallReturned, CallTold

MOST = 16_000
"""Characters of one result, about four thousand tokens."""
MACHINERY = ("waits_on", "waits_for", "waits_since", "first_of")
THINGS = re.compile(r" for (?:\w+:[0-9a-f]{8}-[0-9a-f-]{27}(?:, )?)+")
STRING = 6_000
"""Characters of one text in it, where the whole is too long."""


def told(came: CallReturned, tool: str) -> str:
    result = came.result
    if error := result.get("error"):
        result["error"] = in_words_of(tool, error)
        if error.get("code") == "waiting":
            result["error"] = {**result["error"], "message": THINGS.sub("", error["message"])}
            result["data"] = _without_machinery(result.get("data"))
    text = _written(result)
    return text if len(text) <= MOST else _cut(result)


def _without_machinery(data: Any) -> Any:
    """What waits is told by its slug; by which ids and events the house notices that it is over is its own affair."""
    return {name: each for name, each in data.items() if name not in MACHINERY} if isinstance(data, dict) else data


def _written(value: Any) -> str:
    return json.dumps({key: _ordered(part) for key, part in value.items()}, ensure_ascii=False)


def _ordered(value: Any) -> Any:
    """Keys as the database orders them: short ones first."""
    if isinstance(value, dict):
        return {key: _ordered(value[key]) for key in sorted(value, key=lambda key: (len(key.encode()), key))}
    return [_ordered(each) for each in value] if isinstance(value, list) else value


def _cut(result: CallTold) -> str:
    """As much as fits: of a list its first items, of a text its beginning."""
    data = _shortened(result.get("data"))
    items = data.get("items") if isinstance(data, dict) else None
    if not isinstance(items, list):
        text = _written({**result, "data": data})
        return text if len(text) <= 2 * MOST else _written(
            {**result, "data": json.dumps(_ordered(data), ensure_ascii=False)[:MOST] + _more(len(text) - MOST)}
        )  # fmt: skip
    kept: list[Any] = []
    size = 0
    for item in items:
        size += len(json.dumps(item, ensure_ascii=False))
        if kept and size > MOST:
            break
        kept.append(item)
    left = len(items) - len(kept)
    after = kept[-1].get("slug") or kept[-1].get("id") if isinstance(kept[-1], dict) else None
    on = f", or go on with after {after}" if after else ""
    note = (
        {"cut": f"{left} more items are not told here: ask for fewer with limit, for less with a filter{on}"}
        if left
        else {}
    )
    return _written({**result, "data": {**data, "items": kept, **note}})


def _shortened(value: Any) -> Any:
    match value:
        case str() if len(value) > STRING:
            return value[:STRING] + _more(len(value) - STRING)
        case dict():
            return {key: _shortened(each) for key, each in value.items()}
        case list():
            return [_shortened(each) for each in value]
    return value


def _more(left: int) -> str:
    return (
        f" [… {left} more characters are not told here: ask for a part, by line, offset, path or a narrower question]"
    )
