"""A conversation as a view: its lines, the words on their way, and how the one at the other end is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol
from uuid import UUID

from hq.chat.growing_text import Growing
from hq.chat.lines import ChatLine, line
from hq.chat.rows import ConversationStateRow, LineRow
from hq.chat.status import ChatStatus, standing
from hq.database.queries import beside
from hq.door.door import Door
from hq.engine.tenancy import inside
from hq.json_types import CallResult
from hq.minds.service import Minds
from hq.sessions.spoken_text import readable
from hq.stream.cursor import Cursor
from hq.stream.event import Announced
from hq.stream.follow import BaseStreamView, Frame, Seen
from hq.stream.opened import StreamOpened
from hq.stream.topics import Topics

SQL = beside(__file__)
AT_ONCE = 100
HEARTBEAT = 4.0
"""Seconds between signs of life: who looks at a page sees within seconds that nobody is there any more."""
TOPICS = Topics()
"""Whatever happens in the company may show in the conversation."""
Named = tuple[str, Mapping[str, Any]]


class Frames(Protocol):
    """How what is new is told, each thing with its name."""

    def line(self, line: ChatLine) -> Named: ...

    def draft(self, found: ChatStatus) -> Named | None: ...

    def news(self, events: Sequence[Announced]) -> Iterable[Named]: ...


class PlainFrames:
    """As programs read it: JSON, text as it was written."""

    def __init__(self) -> None:
        self._draft = Growing()

    def line(self, line: ChatLine) -> Named:
        return "line", line.as_dict()

    def draft(self, found: ChatStatus) -> Named | None:
        if (change := self._draft.became(found.step, spoken(found))) is None:
            return None
        return "draft", {"session": found.session, "step": found.step, "at": change.at, "text": change.text}

    def news(self, events: Sequence[Announced]) -> Iterable[Named]:
        return ()


class ChatFollowOpened(StreamOpened):
    agent: str
    thread: str
    """The conversation's own name."""
    after: str


class ConversationView(BaseStreamView):
    """One reader's place in a conversation."""

    def __init__(self, door: Door, data: CallResult, frames: Frames) -> None:
        self._door = door
        self._opened = opened = ChatFollowOpened.model_validate(data)
        self.filter = opened.filter(TOPICS, HEARTBEAT)
        self._frames = frames
        self._after = Cursor.parse(opened.after, "conversation")
        self._standing: ChatStatus | None = None
        self._status: Mapping[str, Any] | None = None
        self._shown: set[str] = set()
        """What was shown before it was taken up, and comes again when it is."""

    @property
    def cursor(self) -> str:
        return str(self._after)

    async def look(self) -> Seen:
        found, lines = await self._read()
        frames = [*self._lines(lines), *(self._state(found) if found != self._standing else ())]
        self._standing = found
        sessions = frozenset((UUID(found.session),)) if found.session else frozenset()
        return Seen(frames, sessions, more=len(lines) == AT_ONCE)

    def hear(self, events: Sequence[Announced]) -> Sequence[Frame]:
        return [self._frame(*told) for told in self._frames.news(events)]

    async def _read(self) -> tuple[ChatStatus, Sequence[ChatLine]]:
        name, now = self._opened.thread, self._door.clock.now()
        about = {"agents": [self._opened.agent], "names": [name], "now": now}
        tenant = self._opened.tenant_id
        lacking = await self._door.services[Minds].lacking(tenant)
        async with inside(self._door.pool, tenant) as reader:
            # The standing first: where that says it rests, every line of it is there to be read.
            row = await reader.one(SQL["standing"], about, into=ConversationStateRow)
            found = standing(row, now, lacking)
            place = {"name": name, "now": now, "session": self._after.session, "step": self._after.at, "limit": AT_ONCE}
            lines = [line(row) for row in await reader.rows(SQL["lines_after"], place, into=LineRow)]
        return unless_said(found, lines), lines

    def _lines(self, lines: Sequence[ChatLine]) -> Iterable[Frame]:
        for each in lines:
            fresh = bool(each.text) and each.id not in self._shown
            if each.settled:
                self._after = max(self._after, each.place)
                self._shown.discard(each.id)
            else:
                self._shown.add(each.id)
            if fresh:
                yield self._frame(*self._frames.line(each))

    def _state(self, found: ChatStatus) -> Iterable[Frame]:
        if found.draft and (told := self._frames.draft(found)):
            yield self._frame(*told)
        status = {"state": found.state, "why": found.why} | {
            name: True for name in ("passes", "frozen") if getattr(found, name)
        }
        if status != self._status:
            self._status = status
            yield self._frame("status", status)

    def _frame(self, name: str, data: Mapping[str, Any]) -> Frame:
        return Frame(data, self.cursor, name)


def unless_said(found: ChatStatus, lines: Sequence[ChatLine]) -> ChatStatus:
    """Without words on their way that have arrived: the lines were read a moment later."""
    said = found.draft and any(
        each.settled and each.place >= Cursor.of_step(UUID(found.session), found.step)
        for each in lines
        if found.session
    )
    return replace(found, draft="") if said else found


def spoken(found: ChatStatus) -> str:
    """What is being said, as far as it can be shown."""
    return readable(found.draft)
