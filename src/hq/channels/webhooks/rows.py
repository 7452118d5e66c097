"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from hq.channels.webhooks.types import Webhook


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


@dataclass(frozen=True, slots=True)
class DueWebhookRow:
    """An endpoint that may have something to be sent now, and how far it has come."""

    tenant_id: UUID
    webhook_id: UUID
    slug: str
    props: Webhook
    seq: int
    ordinal: int
    last: str
    line: int


@dataclass(frozen=True, slots=True)
class RepeatedDeliveryRow:
    """An event that is to be delivered again."""

    seq: int
    ordinal: int


@dataclass(frozen=True, slots=True)
class DeliveryEndRow:
    """What an attempt made of its endpoint: whether its state turned, and since when it fails."""

    turned: str | None
    failing_since: datetime | None
