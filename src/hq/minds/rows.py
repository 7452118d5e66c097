"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class MindRow:
    """The minds of a company, in the order they are asked."""

    name: str
    provider: str
    model: str | None
    base_url: str | None
    key_name: str | None
    tiers: list[str]
    rank: int
    seconds: int


@dataclass(frozen=True, slots=True)
class ClosedDoorRow:
    """Which of these doors are closed now, and until when; and those that last refused the key, or were tested and never
    let anybody through."""

    door: str
    closed_until: datetime
    why: str
    refused: bool
    unproven: bool
    away: bool
    closed: bool
