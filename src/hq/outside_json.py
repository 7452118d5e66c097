"""JSON from outside, read within bounds: no more values than anybody has use for. Whoever sends more is told so before anything is
made of them."""

from __future__ import annotations

from typing import Any

from pydantic_core import from_json

from hq.errors import Refused

MOST_VALUES = 50_000


def parse(body: bytes) -> Any:
    """The value. Raises ValueError where it is no JSON."""
    value = from_json(body, allow_inf_nan=False)
    left, at_hand = MOST_VALUES, [value]
    while at_hand:
        each = at_hand.pop()
        if isinstance(each, dict | list):
            left -= len(each)
            if left < 0:
                raise Refused(f"the body holds more than {MOST_VALUES:,} values; send less at once", code="too_large")
            at_hand += each.values() if isinstance(each, dict) else each
    return value
