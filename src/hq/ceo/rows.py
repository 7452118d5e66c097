"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time
from decimal import Decimal
from uuid import UUID

from hq.ceo.card_parts import Kind
from hq.ceo.quiet_hours import Severity
from hq.chat.card_shape import CardButtonItem, CardItem
from hq.json_types import CallArgs, ModelJson


@dataclass(frozen=True, slots=True)
class BriefItemRow:
    """What happened in a stretch of time, and what is open now; each row a line of a section."""

    place: int
    section: str
    slug: str
    title: str
    says: str | None
    taint: list[str]


@dataclass(frozen=True, slots=True)
class CardRow:
    """Cards that were there at a moment, newest first."""

    id: UUID
    shape: CardItem


@dataclass(frozen=True, slots=True)
class DueCardRow:
    """Cards whose time has come, in order."""

    id: UUID
    agent: str
    severity: Severity
    waited_for: bool


@dataclass(frozen=True, slots=True)
class NoticedRow:
    """What there is to notice that nobody was told of."""

    trigger: str
    subject: str
    n: int
    severity: Severity
    facts: ModelJson


@dataclass(frozen=True, slots=True)
class OccurrenceRow:
    """What was noticed lately, newest first."""

    trigger: str
    subject: str
    n: int
    severity: Severity
    facts: ModelJson
    seen_at: datetime
    handled_at: datetime | None
    decided_by: str | None
    actions: list[ModelJson] | None


@dataclass(frozen=True, slots=True)
class CompanySettingsRow:
    """How the company is set, as far as that is no node."""

    name: str
    risk_tolerance: str
    time_zone: str
    quiet_from: time | None
    quiet_to: time | None
    minds: list[str]


@dataclass(frozen=True, slots=True)
class SituationRow:
    """What whoever decides is told of the company."""

    company: str
    risk_tolerance: str
    founder: str | None
    philosophy: str | None
    asks: list[str]
    waiting: int
    budget: list[str]
    events: list[str]
    refused: list[str]
    skills: list[str]
    agents: list[str] | None
    missions: list[str]
    marks: list[str]


@dataclass(frozen=True, slots=True)
class SpentRow:
    """What models cost since a day."""

    usd: Decimal
    tokens: Decimal
    cached: Decimal
    unpriced: Decimal
    estimated: Decimal


@dataclass(frozen=True, slots=True)
class AdoptableCardRow:
    """A card that has no ask yet."""

    kind: Kind
    severity: Severity
    title: str
    body: str
    buttons: list[CardButtonItem]
    about: UUID | None
    open_while: list[str] | None
    expires_at: datetime | None
    taint: list[str]


@dataclass(frozen=True, slots=True)
class CapturableCallRow:
    """Settled calls since the last time, oldest first; one that takes another back stands for that one."""

    seq: int
    id: UUID
    meant: str
    target_id: UUID
    input: CallArgs


@dataclass(frozen=True, slots=True)
class PressedCardRow:
    """A card that somebody is about to press; nobody else meanwhile."""

    id: UUID
    kind: str
    title: str
    buttons: list[CardButtonItem]
    asks: bool
    ask: UUID | None
    pressed: str | None
    pressed_by: str | None
    pressed_at: datetime | None
    taint: list[str]
