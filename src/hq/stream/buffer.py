"""Buffer: the newest events of one company, in memory, for everyone who follows them; older ones are read from the database."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from hq.stream.cursor import Cursor
from hq.stream.event import Announced

KEPT = 1_000
KEPT_BYTES = 4 * 1024 * 1024


class Buffer:
    """Holds everything that was announced behind `floor`, up to and including `upto`."""

    def __init__(self, start: Cursor) -> None:
        self.floor = self.upto = start
        self._events: list[Announced] = []
        self._bytes = 0

    def append(self, events: Sequence[Announced], upto: Cursor) -> None:
        self._events += events
        self._bytes += sum(len(event.body) for event in events)
        self.upto = max(self.upto, upto)
        if len(self._events) > 2 * KEPT or self._bytes > 2 * KEPT_BYTES:
            self._forget()

    def after(self, position: Cursor, limit: int) -> list[Announced]:
        """The next ones behind a position that is not below the floor."""
        first = bisect_right(self._events, position, key=lambda event: event.position)
        return self._events[first : first + limit]

    def _forget(self) -> None:
        """Rarely and much at once, which is cheaper than a little each time."""
        gone = max(len(self._events) - KEPT, 0)
        self._bytes = sum(len(event.body) for event in self._events[gone:])
        while self._bytes > KEPT_BYTES:
            self._bytes -= len(self._events[gone].body)
            gone += 1
        self.floor = self._events[gone - 1].position
        del self._events[:gone]
