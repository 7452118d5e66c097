"""Finding lines by a pattern, in time that grows with the text alone: patterns and texts come from others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hq.errors import Refused

MEMORY = 8 * 2**20


def pattern_of(text: str, *, ignore_case: bool) -> Any:
    import re2

    options = re2.Options()
    options.case_sensitive = not ignore_case
    options.max_mem = MEMORY
    options.log_errors = False
    try:
        return re2.compile(text, options)
    except re2.error as error:
        said = error.args[0]
        why = said.decode() if isinstance(said, bytes) else said
        raise Refused.invalid(f"pattern: {why}; RE2's regular expressions are taken, without look-around") from None


def matching(pattern: Any, text: str) -> Iterator[tuple[int, str]]:
    """The lines in which it is found, with their numbers."""
    for number, line in enumerate(text.splitlines(), start=1):
        if pattern.search(line):
            yield number, line
