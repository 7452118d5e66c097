"""Following: the one loop behind every stream. A view says what is new to its reader; the hub says when to look."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, Protocol, Self
from uuid import UUID

from psycopg import Error as DatabaseError
from psycopg_pool import PoolTimeout

from hq.stream.cursor import Cursor
from hq.stream.event import Announced
from hq.stream.hub import Hub
from hq.stream.subscription import Filter, StreamBeat, StreamEnded, StreamEvents, Subscription

LOST = "the database does not answer; come back in a moment"


@dataclass(frozen=True, slots=True)
class Frame:
    """One thing told to a reader."""

    data: Mapping[str, Any] | bytes
    id: str
    """How far the reader is with it: who comes back with this misses nothing."""
    name: str | None = None
    """None is what the stream is for; a name is said where there are several sorts, or it is about the stream itself."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a look found."""

    frames: Sequence[Frame] = ()
    sessions: frozenset[UUID] = frozenset()
    """Whose steps make another look worth it."""
    more: bool = False
    """There is more to be read at once."""
    over: bool = False
    """Nothing can come any more."""


class StreamView(Protocol):
    """What somebody follows, from where they are on."""

    filter: Filter
    """Which events make another look worth it, and whose credential has to hold meanwhile."""

    async def look(self) -> Seen:
        """Whatever is new."""
        ...

    def opened(self) -> Frame | None:
        """What is said first."""
        ...

    def hear(self, events: Sequence[Announced]) -> Sequence[Frame]:
        """What to say of events themselves; most views only look again."""
        ...

    def beat(self, position: Cursor) -> Frame:
        """What to say as a sign of life."""
        ...

    def ended(self, why: str) -> Frame | None:
        """What to say when it must end before it is over."""
        ...


class BaseStreamView:
    """What views have in common: a cursor, and what they say of the stream itself."""

    filter: Filter

    @property
    def cursor(self) -> str:
        """How far its reader was told."""
        raise NotImplementedError

    async def look(self) -> Seen:
        return Seen()

    def opened(self) -> Frame | None:
        return Frame({"after": self.cursor}, self.cursor, "ready")

    def hear(self, events: Sequence[Announced]) -> Sequence[Frame]:
        return ()

    def beat(self, position: Cursor) -> Frame:
        return Frame({}, self.cursor, "heartbeat")

    def ended(self, why: str) -> Frame | None:
        return Frame({"why": why, "after": self.cursor}, self.cursor, "end")


class Following:
    """One reader of a view, open for as long as it reads."""

    def __init__(self, hub: Hub, view: StreamView) -> None:
        self._hub, self._view = hub, view
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        self._news: Subscription = await self._stack.enter_async_context(self._hub.subscribe(self._view.filter))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    def leave(self) -> None:
        """The reader is gone."""
        self._news.end("the reader left")

    async def frames(self) -> AsyncIterator[Sequence[Frame]]:
        """All that happens, as it happens."""
        if (first := self._view.opened()) is not None:
            yield [first]
        try:
            async for frames in self._told():
                yield frames
        except (DatabaseError, PoolTimeout, OSError):
            if (last := self._view.ended(LOST)) is not None:
                yield [last]

    async def _told(self) -> AsyncIterator[Sequence[Frame]]:
        view, news = self._view, self._news
        while True:
            seen = await view.look()
            if seen.frames:
                yield seen.frames
            if seen.over:
                return
            if not seen.sessions <= news.sessions:
                news.sessions = seen.sessions
                continue  # what they did before they were followed
            news.sessions = seen.sessions
            if seen.more:
                continue
            match await news.next():
                case StreamEnded(why):
                    if (last := view.ended(why)) is not None:
                        yield [last]
                    return
                case StreamBeat(position):
                    yield [view.beat(position)]
                case StreamEvents(events):
                    if said := view.hear(events):
                        yield said
                case _:
                    pass
