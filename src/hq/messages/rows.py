"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from hq.engine.sessions.steps import RunRequest
from hq.org.agent import Agent


@dataclass(frozen=True, slots=True)
class RosterAgentRow:
    """The agents that work here, with where each is."""

    slug: str
    title: str
    status: str | None
    props: Agent
    organisation: UUID | None
    organisation_slug: str | None
    seat: UUID | None
    seat_title: str | None


@dataclass(frozen=True, slots=True)
class MessageAnswerRow:
    """The answer to a question."""

    id: UUID
    sender: str
    body: str
    taint: list[str]
    state: str


@dataclass(frozen=True, slots=True)
class ConversationMessageRow:
    """All that was said in one conversation, in order."""

    id: UUID
    reply_to: UUID | None
    kind: str
    sender: str
    address: str
    recipient: str | None
    state: str
    body: str
    taint: list[str]
    session_id: UUID | None
    created_at: datetime
    delivered_at: datetime | None
    read_at: datetime | None
    answered_at: datetime | None


@dataclass(frozen=True, slots=True)
class InboxMessageRow:
    """Messages, newest first, as they stand or as they stood then."""

    id: UUID
    thread_id: UUID
    kind: str
    sender: str
    address: str
    recipient: str | None
    state: str
    body: str
    taint: list[str]
    deadline: datetime | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class MessageRow:
    """One message."""

    tenant_id: UUID
    id: UUID
    thread_id: UUID
    reply_to: UUID | None
    kind: str
    sender: str
    sender_session: UUID | None
    address: str
    recipient: str | None
    seat: UUID | None
    session_id: UUID | None
    step: int | None
    body: str
    hard: bool
    state: str
    deadline: datetime | None
    patience: timedelta | None
    hops: int
    root: UUID | None
    taint: list[str]
    created_at: datetime
    delivered_at: datetime | None
    read_at: datetime | None
    answered_at: datetime | None
    run: RunRequest | None
    asks: list[UUID] | None
    session_state: str | None
    session_text: str | None
    closed_as: str | None
    aside: bool
    woke: bool | None
    asker: str | None


@dataclass(frozen=True, slots=True)
class PersonaSeatRow:
    """A persona's agents, and the seat it holds."""

    slug: str
    agent: str | None
    seat: UUID | None


@dataclass(frozen=True, slots=True)
class AgentPlaceRow:
    """Where an agent is in the company: its kind, its seat, its organisation."""

    id: UUID
    slug: str
    status: str | None
    kind: str | None
    seat: UUID | None
    organisation: UUID


@dataclass(frozen=True, slots=True)
class PresenceRow:
    """What the sessions say of the agents' presence."""

    agent: str
    running: int
    ended_at: datetime | None
    seen_at: datetime | None


@dataclass(frozen=True, slots=True)
class SeatRow:
    """Seats by id, name or role, each with who works there; who may work now and has least to do comes first."""

    id: UUID
    title: str
    number: int | None
    role: str | None
    organisation: UUID
    agent: str | None
    status: str | None


@dataclass(frozen=True, slots=True)
class JoinedSessionRow:
    """The session of an agent that takes what is said to it, woken where it lies down for what a call comes to."""

    id: UUID
    woken: bool


@dataclass(frozen=True, slots=True)
class UnreadRow:
    """How much each has not read."""

    recipient: str | None
    many: int


@dataclass(frozen=True, slots=True)
class MailDueRow:
    """A company with mail that waits; or will have waited too long."""

    tenant_id: UUID
    at: datetime | None


@dataclass(frozen=True, slots=True)
class WaitingMailRow:
    """A message for which something is to be done, an agent that has mail, or both."""

    message: UUID | None
    agent: str | None
