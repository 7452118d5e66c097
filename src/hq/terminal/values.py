"""Values, as text: nothing, yes and no, times, lists; and no character that a terminal would obey."""

from __future__ import annotations

import json
import re
import unicodedata
from datetime import datetime
from typing import Any

from hq.terminal.screen import Screen

_MOMENT = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$")

DAYS = {-1: "yesterday", 0: "today", 1: "tomorrow"}


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
    """For a person local, and as far away as it is: `2 min ago`, `today 14:05`. Exact for a program."""
    if not screen.tty:
        return text
    return near(datetime.fromisoformat(text), screen.now or datetime.now().astimezone())


def near(when: datetime, now: datetime) -> str:
    """A moment as seen from another, in the time zone of this machine."""
    when, now = when.astimezone(), now.astimezone()
    minutes = round(abs((now - when).total_seconds()) / 60)
    if minutes < 1:
        return "just now"
    if minutes < 60:
        return f"{minutes} min ago" if when < now else f"in {minutes} min"
    day = DAYS.get((when.date() - now.date()).days) or f"{when:%Y-%m-%d}"
    return f"{day} {when:%H:%M}"


def is_moment(value: Any) -> bool:
    return isinstance(value, str) and _MOMENT.match(value) is not None


def label(name: str) -> str:
    return name.replace("_", " ").removesuffix(" at").removesuffix(" md")


def _obeyed(char: str) -> bool:
    return (
        unicodedata.category(char) == "Cc" and char not in "\n\t"
    ) or char in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
