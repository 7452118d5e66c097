"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True)
class DeliveryRow:
    """What became of deliveries, newest event first."""

    seq: int
    ordinal: int
    topic: str
    status: str
    attempts: int
    response_status: int | None
    error: str | None
    duration_ms: float | None
    tried_at: datetime


@dataclass(frozen=True, slots=True)
class WebhookStateRow:
    """How endpoints are doing."""

    webhook_id: UUID
    last: str
    next_try_at: datetime | None
    failing_since: datetime | None
    dead: int
