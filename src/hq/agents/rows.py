"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from hq.engine.sessions.trigger import SessionTrigger
from hq.json_types import EventPayload, StepJson
from hq.org.agent import Agent


@dataclass(frozen=True, slots=True)
class HangingOnRow:
    """What leads to an agent by these edges, with where it stands."""

    id: UUID
    type: str
    slug: str
    status: str | None
    edge: str


@dataclass(frozen=True, slots=True)
class BeatRow:
    """A beat, for one who looks at it alone."""

    says: str
    after_work: bool
    seen: int


@dataclass(frozen=True, slots=True)
class ListedBeatRow:
    """The beats of an agent, or of all."""

    agent: str
    cron: str
    says: str
    after_work: bool
    enabled: bool
    due_at: datetime
    last_at: datetime | None
    paused_by: str | None


@dataclass(frozen=True, slots=True)
class ChainRow:
    """How many wakes by agents led to this session, where that began, and whether it did more than talk."""

    hops: int
    root: UUID | None
    worked: bool


@dataclass(frozen=True, slots=True)
class AgentCompanyRow:
    """The company of this call."""

    slug: str
    time_zone: str


@dataclass(frozen=True, slots=True)
class HeldCountRow:
    """How many events wait for each agent."""

    agent: str
    many: int


@dataclass(frozen=True, slots=True)
class LastStepRow:
    """The latest steps of a session, in order."""

    step: int
    kind: str
    payload: StepJson
    created_at: datetime


@dataclass(frozen=True, slots=True)
class AgentSessionRow:
    """Sessions of an agent that are not over."""

    id: UUID
    state: str
    trigger_kind: str
    trigger: SessionTrigger


@dataclass(frozen=True, slots=True)
class AgentPresenceRow:
    """What the sessions say of the agents' presence."""

    agent: str
    running: int
    queued: int
    waiting: int
    ended_at: datetime | None
    live: UUID | None
    wait: StepJson | None


@dataclass(frozen=True, slots=True)
class BusyBesideRow:
    """Who is at work beside its own sessions: a conversation before helpers."""

    agent: str
    kind: str


@dataclass(frozen=True, slots=True)
class UnheldEventRow:
    """What waits for an agent goes with its next session."""

    seq: int
    ordinal: int
    topic: str
    payload: EventPayload
    taint: list[str]
    hops: int
    root: UUID | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class WatchedSessionRow:
    """The session an agent works on, or worked on last."""

    id: UUID
    state: str


@dataclass(frozen=True, slots=True)
class EmployedRow:
    """The company, and what the graph knows of one of its agents."""

    company: str
    props: Agent | None
    directs: bool


@dataclass(frozen=True, slots=True)
class TopicsRow:
    """Agents and the topics that wake them, the paused ones too: for those events wait."""

    slug: str
    topics: list[str]
    directs: bool


@dataclass(frozen=True, slots=True)
class CausedEventRow:
    """Events since the router was here, with who caused each; whole calls only."""

    seq: int
    ordinal: int
    topic: str
    payload: EventPayload
    created_at: datetime
    actor: str
    taint: list[str]
    session: UUID | None
    cause: str | None
    hops: int | None
    root: UUID | None


@dataclass(frozen=True, slots=True)
class SightRow:
    """Somebody and whom they lead: the agents, their nodes with their personas and seats, and as what they call and write."""

    agents: list[str]
    parties: list[UUID]
    principals: list[UUID]
    producers: list[UUID]


@dataclass(frozen=True, slots=True)
class FindingRow:
    """Something that is wrong with a session or an agent, that nobody was told of yet."""

    tenant_id: UUID
    agent: str
    session_id: UUID | None
    kind: str
    once: str
    summary: str


@dataclass(frozen=True, slots=True)
class AgentVersionRow:
    """Which version of its files the graph has of an agent."""

    slug: str
    version: str | None


@dataclass(frozen=True, slots=True)
class HeldEventsRow:
    """How much waits for an agent, and whether it is at work."""

    agent: str
    many: int
    status: str | None
    fresh: UUID | None
    busy: bool | None
    last_at: datetime | None
