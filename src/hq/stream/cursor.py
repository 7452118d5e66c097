"""Cursors: how far a reader came, and what it says when it comes back.

An `EventPosition` is in a company's events: `120.2` is an event, `120` everything up to call 120. A `Cursor` is in the steps of
sessions: `<session>.14`, everything up to that step.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from uuid import UUID

from hq.errors import Refused

WHOLE = 32767
"""The ordinal of a position behind every event of its call."""
UNSETTLED = 2147483647
"""The step of what was said and not taken up yet."""
_POSITION = re.compile(r"(\d{1,18})(?:\.(\d{1,5}))?")


class EventPosition(NamedTuple):
    """Positions compare in the order in which events are told."""

    seq: int
    ordinal: int = WHOLE

    def __str__(self) -> str:
        return str(self.seq) if self.ordinal == WHOLE else f"{self.seq}.{self.ordinal}"

    @classmethod
    def parse(cls, text: str) -> EventPosition:
        found = _POSITION.fullmatch(text)
        if not found or int(found[2] or 0) > WHOLE:
            raise Refused.invalid(
                f"{text[:60]!r} is no position; take the id of an event such as 120.2, a sequence such as 120, or 0"
            )
        return cls(int(found[1]), int(found[2]) if found[2] else WHOLE)


class Cursor(NamedTuple):
    """Cursors compare in the order in which steps are written; sessions of a conversation follow one another by id."""

    session: UUID
    step: int

    def __str__(self) -> str:
        return f"{self.session}.{self.step}"

    @property
    def settled(self) -> bool:
        return self.step != UNSETTLED

    @classmethod
    def parse(cls, text: str) -> Cursor:
        session, _, step = text.rpartition(".")
        try:
            return cls(UUID(session), int(step))
        except ValueError:
            raise Refused.invalid(
                f"{text[:60]!r} is no place in a conversation; pass on what `next` or `after` said"
            ) from None


FIRST = Cursor(UUID(int=0), 0)
LAST = Cursor(UUID(int=2**128 - 1), UNSETTLED)
