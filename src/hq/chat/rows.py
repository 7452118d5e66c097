"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from hq.chat.card_shape import CardItem
from hq.engine.sessions.reply import ReplyPart
from hq.json_types import StepJson


@dataclass(frozen=True, slots=True)
class AskedRunRow:
    """Who works on a run, and whether somebody wants to hear of its end."""

    session_id: UUID | None
    notify: bool


@dataclass(frozen=True, slots=True)
class LineRow:
    """The newest lines of a conversation that come before a place and were there at a moment, newest first. A message
    that was not taken up yet is the last; a thread that broke off says so."""

    session_id: UUID
    step: int
    id: str
    role: str
    sender: str
    body: str
    parts: list[ReplyPart] | None
    model: str | None
    created_at: datetime
    card: CardItem | None
    called: str | None


@dataclass(frozen=True, slots=True)
class LinePlaceRow:
    """Where a line of a conversation stands, and when it was written; no step where it is somebody's message."""

    session: UUID
    step: int | None
    at: datetime


@dataclass(frozen=True, slots=True)
class ReadUptoRow:
    """How far a device has read."""

    session: UUID
    step: int


@dataclass(frozen=True, slots=True)
class StartedRunRow:
    """A run as it was asked for, and where in which session it was taken up; no step means that it was not yet."""

    id: int
    created_at: datetime
    task: str
    thread_id: int
    session_id: UUID
    state: str
    closed_as: str | None
    agent: str
    ended_at: datetime | None
    step: int | None


@dataclass(frozen=True, slots=True)
class RunStepRow:
    """What a run has come to: the steps of its thread from where it was taken up to where that rested. Only what is told."""

    step: int
    kind: str
    created_at: datetime
    payload: StepJson


@dataclass(frozen=True, slots=True)
class RunCostRow:
    """What a run used: its thread while it was at it, and its workers. Nothing where a call has no price."""

    tokens: Decimal
    cost: Decimal | None


@dataclass(frozen=True, slots=True)
class RunRow:
    """The newest runs."""

    id: int
    created_at: datetime
    task: str | None


@dataclass(frozen=True, slots=True)
class ConversationStateRow:
    """What the newest thread of a conversation is doing: its state, its last step, what it is saying, and how much
    waits for the founder where it is the CEO's."""

    agent: str
    id: UUID | None
    state: str | None
    closed_as: str | None
    wake_at: datetime | None
    agent_status: str | None
    step: int | None
    payload: StepJson | None
    step_at: datetime | None
    calls: bool | None
    draft: str | None
    draft_step: int | None
    asks: int | None
    held: int | None
    held_until: str | None
    frozen: str | None
    last_step: int | None
    waited: str | None
    silent: bool | None
