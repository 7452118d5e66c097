"""Patterns: regular expressions that others wrote, matched by RE2, in time that grows with the text alone."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from hq.errors import Refused

MEMORY = 8 * 2**20


@lru_cache(maxsize=512)
def compiled(text: str, *, ignore_case: bool = False, memory: int = MEMORY) -> Any:
    """A pattern to search with, or a refusal that says why it is none."""
    import re2

    options = re2.Options()
    options.case_sensitive = not ignore_case
    options.max_mem = memory
    options.log_errors = False
    try:
        return re2.compile(text, options)
    except re2.error as error:
        said = error.args[0]
        why = said.decode(errors="replace") if isinstance(said, bytes) else said
        raise Refused.invalid(f"pattern: {why}; RE2's regular expressions are taken, without look-around") from None
