"""Subscription: one reader of a company's events and of some sessions' steps. It keeps a position and no buffer, so a slow
one costs nothing but its own time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

from hq.stream.buffer import Buffer
from hq.stream.cursor import Cursor
from hq.stream.event import Announced, EventPage
from hq.stream.event_sight import EventSight
from hq.stream.topics import Topics

HEARTBEAT = 15.0
"""Seconds between two signs of life, whatever else there is to tell."""
AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Filter:
    """What a reader follows: these topics of a company's events behind a position, for as long as its credential lasts."""

    tenant: UUID
    credential: UUID
    after: Cursor
    topics: Topics
    heartbeat: float | None = None
    """Seconds; left out, HEARTBEAT."""
    sight: EventSight | None = None
    """Which of them the reader sees; left out, all."""

    def wants(self, event: Announced) -> bool:
        seen = self.sight is None or self.sight.sees(event.topic, event.principal, event.kind, event.about)
        return seen and self.topics.match(event.topic)


@dataclass(frozen=True, slots=True)
class StreamEvents:
    """Events, none missing between them and what was told before."""

    events: Sequence[Announced]


@dataclass(frozen=True, slots=True)
class SessionMoved:
    """A session that is followed has a new step, or new words on their way."""


@dataclass(frozen=True, slots=True)
class StreamBeat:
    """All that there was up to here was told."""

    position: Cursor


@dataclass(frozen=True, slots=True)
class StreamEnded:
    """There is no more, and why."""

    why: str


Message = StreamEvents | SessionMoved | StreamBeat | StreamEnded
Read = Callable[[UUID, Cursor, Topics], Awaitable[EventPage]]


class Subscription:
    def __init__(self, filter: Filter, buffer: Buffer, read: Read) -> None:
        self.filter = filter
        self.position = filter.after
        """Everything up to here was told or was not wanted."""
        self.sessions: frozenset[UUID] = frozenset()
        """Whose steps it follows; set this before looking at them, or a step between goes unnoticed."""
        self._moved = False
        self._buffer = buffer
        self._read = read
        self._why = ""
        self._waiting: asyncio.Future[None] | None = None
        self._beat_at = time.monotonic()

    async def next(self) -> Message:
        """What there is to tell; waits until there is something."""
        while not self._why:
            if self.beat_due:
                self._beat_at = time.monotonic()
                return StreamBeat(self.position)
            if self._moved:
                self._moved = False
                return SessionMoved()
            if events := await self._more():
                return StreamEvents(events)
            if self.position >= self._buffer.upto and not (self._moved or self._why):  # both may have come meanwhile
                await self._sleep()
        return StreamEnded(self._why)

    @property
    def beat_due(self) -> bool:
        every = HEARTBEAT if self.filter.heartbeat is None else self.filter.heartbeat
        return time.monotonic() - self._beat_at >= every

    def wants(self, events: Sequence[Announced]) -> bool:
        return any(map(self.filter.wants, events))

    def wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def move(self) -> None:
        self._moved = True
        self.wake()

    def end(self, why: str) -> None:
        self._why = self._why or why
        self.wake()

    async def _more(self) -> list[Announced]:
        if self.position < self._buffer.floor:  # just begun, or too slow for what is kept in memory
            page = await self._read(self.filter.tenant, self.position, self.filter.topics)
            self.position = page.upto
            return [event for event in page.events if self.filter.wants(event)]
        found = self._buffer.after(self.position, AT_ONCE)
        if len(found) == AT_ONCE:
            self.position = found[-1].position
        else:
            self.position = max(self.position, self._buffer.upto)
        return [event for event in found if self.filter.wants(event)]

    async def _sleep(self) -> None:
        self._waiting = asyncio.get_running_loop().create_future()
        await self._waiting
