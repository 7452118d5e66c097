"""Finding lines by a pattern."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def matching(pattern: Any, text: str) -> Iterator[tuple[int, str]]:
    """The lines in which it is found, with their numbers."""
    for number, line in enumerate(text.splitlines(), start=1):
        if pattern.search(line):
            yield number, line
