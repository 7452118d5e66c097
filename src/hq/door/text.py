"""The texts in a call's arguments, however deep."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hq.errors import Refused

LONGEST = 200  # no slug or id is longer


def check_text(value: Any, path: str = "") -> None:
    """Text that can be stored: no NUL, no lone surrogates. Refused here, so that no database error has to say it."""
    if isinstance(value, str):
        if "\x00" in value:
            raise Refused.invalid(f"{path or 'text'}: the NUL character cannot be stored")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise Refused.invalid(f"{path or 'text'}: is not valid Unicode") from None
    elif isinstance(value, dict):
        for key, inner in value.items():
            check_text(key, path)
            check_text(inner, f"{path}.{key}".strip("."))
    elif isinstance(value, list):
        for inner in value:
            check_text(inner, path)


def short_texts(value: Any) -> Iterator[str]:
    """Whatever these name, the call is about."""
    if isinstance(value, str):
        if 0 < len(value) <= LONGEST:
            yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from short_texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from short_texts(inner)
