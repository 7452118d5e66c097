"""A company's events as a view: every event carries its `id`, and in `prev` the id that was told before it, so whoever last
saw another one missed something."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from hq.graph.catalogue import Catalogue
from hq.json_types import CallResult
from hq.stream.cursor import Cursor
from hq.stream.event import Announced
from hq.stream.event_sight import EventSight
from hq.stream.follow import BaseStreamView, Frame
from hq.stream.subscription import Filter
from hq.stream.topics import Topics


class EventsView(BaseStreamView):
    def __init__(self, catalogue: Catalogue, opened: CallResult) -> None:
        """Of what `events.tail` opened."""
        self._last = opened["after"]
        self.filter = Filter(
            UUID(opened["tenant_id"]),
            UUID(opened["credential"]),
            Cursor.parse(opened["after"], "events"),
            Topics(opened["topics"]),
            sight=EventSight.of(opened.get("sees"), catalogue),
        )

    @property
    def cursor(self) -> str:
        return self._last

    def hear(self, events: Sequence[Announced]) -> Sequence[Frame]:
        return [self._frame(event) for event in events]

    def beat(self, position: Cursor) -> Frame:
        frame = Frame({"after": str(position), "prev": self._last}, str(position), "heartbeat")
        self._last = frame.id
        return frame

    def _frame(self, event: Announced) -> Frame:
        frame = Frame(event.told(self._last), str(event.position))
        self._last = frame.id
        return frame
