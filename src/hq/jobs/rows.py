"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from pydantic import JsonValue


@dataclass(frozen=True, slots=True)
class LastRunRow:
    """The last run of each of these jobs, and of each the last that did something."""

    name: str
    started_at: datetime
    status: str
    did: str | None
    error: str | None
    did_last: str | None


@dataclass(frozen=True, slots=True)
class JobRunRow:
    """Runs, newest first, each with what its session used."""

    id: UUID
    job: str
    item: str | None
    cause: str
    started_at: datetime
    duration_ms: int
    status: str
    did: str | None
    result: JsonValue | None
    error: str | None
    session_id: UUID | None
    action_id: UUID | None
    tokens: Decimal
    cost_usd: Decimal


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One line of what the runner looks at: what is due or not set yet, what is paused or frozen, and when it goes on."""

    what: str
    tenant_id: UUID
    name: str
    kind: str
    node_id: UUID | None
    agent: str
    cron: str | None
    zone: str
    next_at: datetime | None
    taken: datetime | None
    tries: int
    last_at: datetime | None


@dataclass(frozen=True, slots=True)
class AnnouncedTopicRow:
    """A topic that was announced, in which company, and how far was looked."""

    tenant_id: UUID | None
    topic: str | None
    line: int
