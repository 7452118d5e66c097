"""An opened stream: what a verb of the kind `stream` gives back, and what whoever reads it follows by that."""

from __future__ import annotations

from uuid import UUID

from hq.door.verb import Result
from hq.stream.cursor import Cursor
from hq.stream.subscription import Filter
from hq.stream.topics import Topics


class StreamOpened(Result):
    events_after: str
    """Where the company's events begin that wake whoever follows."""
    stream: str
    """Where it is read: `GET` this, with the same credential."""
    tenant_id: UUID
    credential: UUID

    def filter(self, topics: Topics, heartbeat: float | None = None) -> Filter:
        return Filter(self.tenant_id, self.credential, Cursor.parse(self.events_after, "events"), topics, heartbeat)
