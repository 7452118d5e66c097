"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from hq.json_types import JsonObject


@dataclass(frozen=True, slots=True)
class SittingRow:
    """The seats of an agent, the one it was given last before the others, each with its role, its organisation and
    what that manages."""

    position: UUID
    slug: str
    props: JsonObject
    role: str | None
    organisation: UUID | None
    value: float | None


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """Where an agent works: the company, its seat, whom that reports and escalates to, and who reports to it."""

    company: str
    founder: str | None
    risk_tolerance: str
    ceo: str | None
    seat: str | None
    persona: UUID | None
    organisation: UUID | None
    organisation_name: str | None
    reports_to: str | None
    reports_to_agent: str | None
    escalates_to: str | None
    escalates_to_agent: str | None
    below: list[str]
