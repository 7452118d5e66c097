"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from hq.json_types import EventPayload


@dataclass(frozen=True, slots=True)
class EventRow:
    """Settled events before a position, newest first, with what they say."""

    seq: int
    ordinal: int
    topic: str
    action_id: UUID
    created_at: datetime
    actor: str
    taint: list[str]
    payload: EventPayload


@dataclass(frozen=True, slots=True)
class LookOutRow:
    """How far events are settled, who has new ones, and which credentials have ended."""

    line: int
    tenants: list[UUID]
    ended: list[UUID]


@dataclass(frozen=True, slots=True)
class LastStepsRow:
    """How far sessions have come, and the words on their way."""

    session_id: UUID
    state: str
    step: int | None
    draft_step: int | None
    drafted: int | None


@dataclass(frozen=True, slots=True)
class SettledEventRow:
    """Settled events behind a position, in order; those whose topic is not wanted come without what they say."""

    seq: int
    ordinal: int
    topic: str
    action_id: UUID
    created_at: datetime
    actor: str
    taint: list[str]
    payload: str | None
    """As it is written: nobody reads it on its way."""
    principal_id: UUID
    kind: str
    target_kind: str | None
