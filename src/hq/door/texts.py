"""The texts in a call's arguments, however deep: whatever they name, the call is about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

LONGEST = 200  # no slug or id is longer


def short_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if 0 < len(value) <= LONGEST:
            yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from short_texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from short_texts(inner)
