"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from hq.engine.sessions.trigger import SessionTrigger


@dataclass(frozen=True, slots=True)
class FullnessRow:
    """How full the context of sessions has been at most, each as a share of its window."""

    session_id: UUID
    share: Decimal | None


@dataclass(frozen=True, slots=True)
class HandingRow:
    """The sessions of an agent that could hand off, most alive first."""

    id: UUID
    state: str
    trigger_kind: str
    trigger: SessionTrigger


@dataclass(frozen=True, slots=True)
class OpenHandoffRow:
    """The handoff that a session is in the middle of."""

    id: UUID
    slug: str


@dataclass(frozen=True, slots=True)
class HandoffStateRow:
    """How the sessions of a handoff stand."""

    from_state: str
    closed_as: str | None
    said: str | None
    trigger_kind: str
    trigger: SessionTrigger
    agent: str
    to_state: str | None
    begun: bool
    memo: str | None


@dataclass(frozen=True, slots=True)
class HandoffDueRow:
    """A handoff whose sessions moved, or whose time is up; or will be."""

    tenant_id: UUID
    item: str
    at: datetime | None
