"""Where in a company's events somebody is: `120.2` is an event, `120` is everything up to call 120."""

from __future__ import annotations

import re
from typing import NamedTuple

from hq.errors import Refused

WHOLE = 32767
"""The ordinal of a position behind every event of its call."""
_TEXT = re.compile(r"(\d{1,18})(?:\.(\d{1,5}))?")


class Position(NamedTuple):
    """Positions compare in the order in which events are told."""

    seq: int
    ordinal: int = WHOLE

    def __str__(self) -> str:
        return str(self.seq) if self.ordinal == WHOLE else f"{self.seq}.{self.ordinal}"

    @classmethod
    def parse(cls, text: str) -> Position:
        found = _TEXT.fullmatch(text)
        if not found or int(found[2] or 0) > WHOLE:
            raise Refused.invalid(
                f"{text[:60]!r} is no position; take the id of an event such as 120.2, a sequence such as 120, or 0"
            )
        return cls(int(found[1]), int(found[2]) if found[2] else WHOLE)
