"""Cursor: how far a reader of a stream came, and what it says when it comes back. One for every stream, with one parser.

| of | text | place |
|---|---|---|
| events | `120.2`, `120` | an event of a company; everything up to call 120 |
| conversation | `<session>.14` | a step, in a conversation that went through sessions |
| run | `14-013`, `14-013-end` | a step of its thread, and how much was told of each worker beside it; all was |
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, cast
from uuid import UUID

from hq.errors import Refused

WHOLE = 32767
"""The ordinal of a place behind every event of its call."""
UNSETTLED = 2147483647
"""The step of what was said and not taken up yet."""
Of = Literal["events", "conversation", "run"]
_TEXT = {
    "events": re.compile(r"(?P<of>\d{1,18})(?:\.(?P<at>\d{1,5}))?"),
    "conversation": re.compile(r"(?P<of>[0-9a-f-]{36})\.(?P<at>\d{1,10})"),
    "run": re.compile(r"(?P<at>\d{1,9})-(?P<beside>[0-4]{0,200})(?P<end>-end)?"),
}
_REFUSED = {
    "events": "is no position; take the id of an event such as 120.2, a sequence such as 120, or 0",
    "conversation": "is no place in a conversation; pass on what `next` or `after` said",
    "run": "is no place in a run; pass on the `id` of the last event, or leave it out to be told from the beginning",
}


class Cursor(NamedTuple):
    """Cursors of one stream compare in the order in which things are told there; sessions of a conversation follow one another
    by id."""

    of: int | UUID
    """The call, or the session; of a run there is only one thread."""
    at: int
    """The event of that call, or the step."""
    beside: str = ""
    """Of those that go on side by side with it, a digit each: how much was told."""
    end: bool = False
    """All was told."""

    @classmethod
    def of_event(cls, seq: int, ordinal: int = WHOLE) -> Cursor:
        return cls(seq, ordinal)

    @classmethod
    def of_step(cls, session: UUID, step: int) -> Cursor:
        return cls(session, step)

    @classmethod
    def of_run(cls, step: int = 0, beside: str = "") -> Cursor:
        return cls(_RUN, step, beside)

    def __str__(self) -> str:
        if self.of == _RUN:
            return f"{self.at}-{self.beside}{'-end' if self.end else ''}"
        return str(self.of) if self.at == WHOLE and isinstance(self.of, int) else f"{self.of}.{self.at}"

    @classmethod
    def parse(cls, text: str, of: Of) -> Cursor:
        """What a reader says of such a stream. Of another, or of another program, it is refused with what to say instead."""
        found = _TEXT[of].fullmatch(text)
        try:
            if found is None:
                raise ValueError(text)
            match of:
                case "events":
                    made = cls.of_event(int(found["of"]), int(found["at"]) if found["at"] else WHOLE)
                    limit = WHOLE
                case "conversation":
                    made, limit = cls.of_step(UUID(found["of"]), int(found["at"])), UNSETTLED
                case "run":
                    made, limit = cls(_RUN, int(found["at"]), found["beside"], bool(found["end"])), UNSETTLED
            if made.at > limit:
                raise ValueError(text)
        except ValueError:
            raise Refused.invalid(f"{text[:60]!r} {_REFUSED[of]}") from None
        return made

    @property
    def seq(self) -> int:
        """The number of the call, of an event."""
        return cast(int, self.of)

    @property
    def session(self) -> UUID:
        """Of a step."""
        return cast(UUID, self.of)

    @property
    def settled(self) -> bool:
        """What it is the place of was taken up."""
        return self.at != UNSETTLED


_RUN = -1
FIRST = Cursor.of_step(UUID(int=0), 0)
LAST = Cursor.of_step(UUID(int=2**128 - 1), UNSETTLED)
