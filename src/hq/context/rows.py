"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict
from uuid import UUID


@dataclass(frozen=True, slots=True)
class SessionBeforeRow:
    """What there was of an agent before a session: the last that is over, or one that is under way, and what leads to it."""

    closed_as: str | None
    over: bool | None
    """Nothing where this is its first."""
    links: list[str]


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


class ColleagueNow(TypedDict):
    """Who works here, and on what."""

    slug: str
    role: str
    status: str
    mission: str | None
    state: str | None
    """Of its session; nothing where it has none under way."""


class VacantSeat(TypedDict):
    """A seat in which nobody sits."""

    number: int
    title: str
    organisation: str


class MissionNow(TypedDict):
    """A mission that is not over, and how it goes."""

    slug: str
    title: str
    status: str
    in_hand: bool
    agent: str | None
    part_agents: list[str] | None
    parts: int
    done: int
    deadline: str | None
    countered: bool
    moves: bool
    stopped: str | None
    why: str | None
    taint: list[str]


class EndedMission(TypedDict):
    """A mission that is over, and what came of it."""

    slug: str
    title: str
    status: str
    says: str | None
    taint: list[str]


class FindingNow(TypedDict):
    """What an agent found and nobody looked at."""

    slug: str
    source: str
    content: str
    taint: list[str]


class LimitNow(TypedDict):
    """What may be spent, and what was."""

    scope: str
    period: str
    usd: float
    usd_hard: float | None
    tokens: float
    tokens_hard: float | None


@dataclass(frozen=True, slots=True)
class CompanyNowRow:
    """What is so now, for one agent: who works on what, what moves or is stuck, what ended, what is left to spend."""

    staff: list[ColleagueNow]
    vacant: list[VacantSeat]
    missions: list[MissionNow]
    open_missions: int
    ended: list[EndedMission]
    findings: list[FindingNow]
    pending: int
    limits: list[LimitNow]
    asks: bool
    """Whether anything waits for somebody's word."""
    curated: list[UUID]
    """Those of its places for which something was chosen of what the company knows."""
