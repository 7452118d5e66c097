"""Values, as text: nothing, yes and no, times, lists; and no character that a terminal would obey."""

from __future__ import annotations

import json
import re
import unicodedata
from datetime import datetime
from typing import Any

from hq.terminal.screen import Screen

_MOMENT = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$")


def harmless(text: str) -> str:
    """Text from outside, without escape sequences and without marks that turn the direction of writing."""
    if text.isascii() and text.isprintable():
        return text
    return "".join("�" if _obeyed(char) else char for char in text)


def one_line(value: Any, screen: Screen) -> str:
    """A value in a cell or behind its name."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case str() if _MOMENT.match(value):
            return moment(value, screen)
        case str():
            return harmless(" ".join(value.split()))
        case list() if all(not isinstance(item, dict | list) for item in value):
            return ", ".join(one_line(item, screen) for item in value)
        case dict() | list():
            return harmless(json.dumps(value, ensure_ascii=False))
        case _:
            return str(value)


def moment(text: str, screen: Screen) -> str:
    """Local and short for a person; exact for a program."""
    if not screen.tty:
        return text
    return f"{datetime.fromisoformat(text).astimezone():%Y-%m-%d %H:%M}"


def is_moment(value: Any) -> bool:
    return isinstance(value, str) and _MOMENT.match(value) is not None


def label(name: str) -> str:
    return name.replace("_", " ").removesuffix(" at").removesuffix(" md")


def _obeyed(char: str) -> bool:
    return (
        unicodedata.category(char) == "Cc" and char not in "\n\t"
    ) or char in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
