"""Text that can be stored: no NUL, no lone surrogates. Refused here, so that no database error has to say it."""

from __future__ import annotations

from typing import Any

from hq.errors import Refused


def check_text(value: Any, path: str = "") -> None:
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
