"""Topics of events, as somebody wants them: patterns such as `task.*`, of which one must match."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

EVERYTHING = "*"
_TOPIC = re.compile(r"[A-Za-z0-9_.:/@*-]{1,200}")
TOPIC_PATTERN = f"^{_TOPIC.pattern}$"


def _checked(pattern: str) -> str:
    if not _TOPIC.fullmatch(pattern):
        raise PydanticCustomError(
            "topic",
            "{given} is no topic; one looks like task.created, and * stands for anything: task.*, *.created",
            {"given": repr(pattern[:60])},
        )
    return pattern


Pattern = Annotated[str, Field(json_schema_extra={"pattern": TOPIC_PATTERN}), AfterValidator(_checked)]
"""A topic, in which `*` stands for anything: task.created, task.*, *.created."""


class Topics:
    """No pattern at all means everything."""

    def __init__(self, patterns: Sequence[str] = ()) -> None:
        self.patterns = tuple(patterns) or (EVERYTHING,)
        parts = [".*".join(map(re.escape, pattern.split("*"))) for pattern in self.patterns]
        self.regex = "" if EVERYTHING in self.patterns else f"^({'|'.join(parts)})$"
        """The same for Postgres; the empty one matches all."""
        self._compiled = re.compile("|".join(map(_direct, self.patterns)))
        self._known: dict[str, bool] = {}

    def match(self, topic: str) -> bool:
        """There are few topics, and each comes many times."""
        known = self._known.get(topic)
        if known is None:
            known = self._known[topic] = bool(self._compiled.fullmatch(topic))
        return known


def _direct(pattern: str) -> str:
    """A pattern that never goes back on what it found: with many stars that would take for ever, and hold up everybody."""
    first, *rest = (re.escape(part) for part in pattern.split("*"))
    if not rest:
        return first
    return first + "".join(f"(?>.*?{part})" for part in rest[:-1] if part) + ".*" + rest[-1]
