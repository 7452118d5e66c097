"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from hq.door.gate import Tolerance
from hq.json_types import Props


@dataclass(frozen=True, slots=True)
class CompanyRow:
    """The company as the last call that had changed it by then left it."""

    slug: str
    name: str
    risk_tolerance: Tolerance
    time_zone: str


@dataclass(frozen=True, slots=True)
class LinkPointRow:
    """The links of a node that hold now or will: how each is from now on, and every change planned for it, in order."""

    type: str
    outward: bool
    other: UUID
    valid_from: datetime
    live: bool
    props: Props
    confidence: float | None
    valid_to: datetime | None


@dataclass(frozen=True, slots=True)
class SettingsCallRow:
    """The settings of this call, to come back to."""

    tenant: str
    actor: str
    action: str
    seq: str
    now: str


@dataclass(frozen=True, slots=True)
class FounderRow:
    """The founder of a company, or of the first one."""

    tenant: UUID
    slug: str
    principal: UUID
    actor: str
    scopes: list[str]
