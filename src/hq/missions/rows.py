"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID


@dataclass(frozen=True, slots=True)
class MissionBelowRow:
    """A mission and everything below it, with what each has used itself."""

    id: UUID
    parent: UUID | None
    depth: int
    slug: str
    title: str
    status: str
    deadline: str | None
    outcome: str | None
    taint: list[str]
    tokens: Decimal
    cached: Decimal
    usd: Decimal
    unpriced: Decimal
    estimated: Decimal


@dataclass(frozen=True, slots=True)
class PendingHireRow:
    """A hire for a mission that waits for a yes, or just got it."""

    id: UUID
    slug: str
    status: str


@dataclass(frozen=True, slots=True)
class MissionCostRow:
    """What missions cost."""

    usd: Decimal
    tokens: Decimal
    unpriced: Decimal


@dataclass(frozen=True, slots=True)
class BudgetLeftRow:
    """What is left of the limits of a mission and those above it, after what was spent, set aside or promised to open
    parts."""

    scope: str
    slug: str
    tokens: Decimal | None
    usd: Decimal | None


@dataclass(frozen=True, slots=True)
class LiveForRow:
    """Sessions that work on a mission."""

    id: UUID
    agent: str
    state: str


@dataclass(frozen=True, slots=True)
class MeasurementRow:
    """What was measured of an objective, the latest first."""

    at: datetime
    value: Decimal
    reason: str


@dataclass(frozen=True, slots=True)
class WhoWorksRow:
    """Who works on a mission now and what each waits for; where nobody does, whose session was the last and how that ended."""

    agent: str
    state: str
    ended: str | None
    live: bool
    waits: list[str]


@dataclass(frozen=True, slots=True)
class AskedOfRow:
    """A message that somebody waits for the answer to: whose that is to give, what it says, since when."""

    whom: str
    body: str
    at: datetime
    taint: list[str]


@dataclass(frozen=True, slots=True)
class WorkDueRow:
    """A mission or an escalation for which something is to be done."""

    tenant_id: UUID
    what: str
    id: UUID
    slug: str
    item: str
