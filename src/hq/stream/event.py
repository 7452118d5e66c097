"""Event: as it is told: written as JSON once, however many are told of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict
from uuid import UUID

from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool

from hq.database.queries import beside
from hq.database.rows import RowReader
from hq.ids import event_name
from hq.json_types import EventPayload
from hq.stream.cursor import Cursor
from hq.stream.rows import EventRow, SettledEventRow
from hq.stream.topics import Topics

SQL = beside(__file__)
Pool = AsyncConnectionPool[AsyncConnection[Any]]


@dataclass(frozen=True, slots=True)
class Announced:
    position: Cursor
    topic: str
    principal: UUID
    """Whose call it is of; its kind, and the type of what it was about."""
    kind: str
    about: str | None
    body: bytes
    """A JSON object without its end: `prev` follows, which differs from reader to reader."""

    def told(self, prev: str) -> bytes:
        return self.body + b',"prev":"' + prev.encode() + b'"}'


@dataclass(frozen=True, slots=True)
class EventPage:
    """Some events, and how far was looked for them."""

    events: list[Announced]
    upto: Cursor


async def read_page(pool: Pool, tenant: UUID, after: Cursor, line: int, topics: Topics, scan: int) -> EventPage:
    """The wanted ones among the next `scan` events of a tenant that are settled at `line`."""
    wanted = {
        "tenant": tenant,
        "seq": after.seq,
        "ordinal": after.at,
        "line": line,
        "topics": topics.regex,
        "limit": scan,
    }
    async with pool.connection() as conn:
        rows = await RowReader(conn).rows(SQL["events_after"], wanted, into=SettledEventRow)
    upto = Cursor.of_event(rows[-1].seq, rows[-1].ordinal) if len(rows) == scan else Cursor.of_event(line)
    return EventPage([_announced(row) for row in rows if row.payload is not None], max(upto, after))


class EventHead(TypedDict):
    """What is said of an event on every face, beside its payload."""

    id: str
    topic: str
    at: str
    action: str
    actor: str
    taint: NotRequired[list[str]]


class EventItem(EventHead):
    """An event, with what it says."""

    payload: EventPayload


def described(row: EventRow | SettledEventRow) -> EventHead:
    said: EventHead = {
        "id": f"{row.seq}.{row.ordinal}",
        "topic": row.topic,
        "at": row.created_at.isoformat(),
        "action": event_name(row.action_id),
        "actor": row.actor,
    }
    if row.taint:
        said["taint"] = row.taint
    return said


def _announced(row: SettledEventRow) -> Announced:
    head = json.dumps(described(row), ensure_ascii=False, separators=(",", ":"))
    body = f'{head[:-1]},"payload":{row.payload}'.encode()
    return Announced(
        Cursor.of_event(row.seq, row.ordinal), row.topic, row.principal_id, row.kind, row.target_kind, body
    )
