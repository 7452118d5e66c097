"""YAML as we write it: the same things always give the same bytes, and any parser reads them back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

_PLAIN = re.compile(r"^[A-Za-z][A-Za-z0-9_./-]*$")
_TAKEN = {"true", "false", "yes", "no", "on", "off", "y", "n", "null"}
_ESCAPED = re.compile(r'["\\]|[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


class Quoted(str):
    """A text that is always written in quotes, such as a title."""


def scalar(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
        case datetime():
            return quoted(moment(value))
        case Quoted():
            return quoted(value)
        case _:
            text = str(value)
            return text if _PLAIN.match(text) and text.lower() not in _TAKEN else quoted(text)


def moment(value: datetime) -> str:
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def quoted(text: str) -> str:
    return '"' + _ESCAPED.sub(lambda found: _escape(found[0]), text) + '"'


def _escape(character: str) -> str:
    code = ord(character)
    wide = f"\\U{code:08x}" if code > 0xFFFF else f"\\u{code:04x}" if code > 0xFF else f"\\x{code:02x}"
    return _SHORT.get(character, wide)


def lines(value: Any, indent: str = "") -> Iterator[str]:
    """The lines of a table or a list."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _entry(f"{indent}{scalar(str(key))}:", inner, indent)
    else:
        for item in value:
            yield from _item(item, indent)


def _entry(key: str, value: Any, indent: str) -> Iterator[str]:
    if _nested(value):
        yield key
        yield from lines(value, indent + "  ")
    else:
        yield f"{key} {_flat(value)}"


def _item(value: Any, indent: str) -> Iterator[str]:
    if not _nested(value):
        yield f"{indent}- {_flat(value)}"
        return
    inner = lines(value, indent + "  ")
    yield f"{indent}- {next(inner)[len(indent) + 2 :]}"
    yield from inner


def _nested(value: Any) -> bool:
    return bool(value) and isinstance(value, Mapping | list | tuple)


def _flat(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{}"
    return "[]" if isinstance(value, Sequence) and not isinstance(value, str) else scalar(value)


def text(value: Any) -> str:
    return "\n".join(lines(value)) + "\n" if _nested(value) else _flat(value) + "\n"
