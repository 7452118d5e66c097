"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from hq.json_types import JsonObject


@dataclass(frozen=True, slots=True)
class SessionBeforeRow:
    """The last session of an agent that is over, or one that is under way."""

    id: UUID
    closed_as: str | None
    ended_at: datetime | None
    over: bool


@dataclass(frozen=True, slots=True)
class SaidBeforeRow:
    """What was said in a conversation before its present session began, newest first; what was summed up, as its
    summary."""

    id: UUID
    step: int
    created_at: datetime
    agent: str
    who: str
    senders: list[str | None] | None
    text: str


@dataclass(frozen=True, slots=True)
class CompanyNowRow:
    """What is so now, for one agent: who works on what, what moves or is stuck, what ended, what is left to spend."""

    staff: list[JsonObject]
    vacant: list[JsonObject]
    missions: list[JsonObject]
    open_missions: int
    ended: list[JsonObject]
    findings: list[JsonObject]
    pending: int
    limits: list[JsonObject]
