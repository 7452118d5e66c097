"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from hq.database.rows import JsonObject


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
class HeldSessionRow:
    """A session that is about to be closed."""

    id: UUID
    agent: str
    kind: str
    principal_id: UUID
    parent_id: UUID | None


@dataclass(frozen=True, slots=True)
class HeldCountRow:
    """How many events wait for each agent."""

    agent: str
    many: int


@dataclass(frozen=True, slots=True)
class LastClosedRow:
    """The last session of an agent that is over."""

    id: UUID
    closed_as: str | None
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class LastStepRow:
    """The latest steps of a session, in order."""

    step: int
    kind: str
    payload: JsonObject
    created_at: datetime


@dataclass(frozen=True, slots=True)
class AgentSessionRow:
    """Sessions of an agent that are not over."""

    id: UUID
    state: str
    trigger_kind: str
    trigger: JsonObject


@dataclass(frozen=True, slots=True)
class AgentPresenceRow:
    """What the sessions say of the agents' presence."""

    agent: str
    running: int
    queued: int
    waiting: int
    ended_at: datetime | None
    live: UUID | None
    last: UUID | None


@dataclass(frozen=True, slots=True)
class SaidBeforeRow:
    """What was said in a conversation before its present session began, newest first; what was summed up, as its
    summary."""

    id: UUID
    step: int
    created_at: datetime
    agent: str
    who: str
    text: str


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One session, with how far it came; or had come at a moment, as its journal tells."""

    tenant_id: UUID
    id: UUID
    kind: str
    agent: str
    principal_id: UUID
    parent_id: UUID | None
    task_id: UUID
    trigger_kind: str
    trigger: JsonObject
    state: str
    wake_at: datetime | None
    holder: str | None
    lease_until: datetime | None
    claimed_step: int
    tries: int
    stop: str | None
    exit_code: int | None
    closed_as: str | None
    result: JsonObject | None
    forked_from: UUID | None
    forked_at: int | None
    taint: list[str]
    created_at: datetime
    updated_at: datetime
    ended_at: datetime | None
    name: str | None
    scopes: list[str] | None
    opened_seq: int | None
    actor: str
    steps: int
    turns: int
    last_at: datetime | None
    last_kind: str | None


@dataclass(frozen=True, slots=True)
class ListedSessionRow:
    """Sessions, newest first; of a moment, each as its journal tells that it was then."""

    id: UUID
    kind: str
    agent: str
    state: str
    trigger_kind: str
    trigger: JsonObject
    exit_code: int | None
    created_at: datetime
    ended_at: datetime | None
    closed_as: str | None
    parent_id: UUID | None
    task_id: UUID
    wake_at: datetime | None
    holder: str | None
    silent: bool


@dataclass(frozen=True, slots=True)
class StepRow:
    """The journal of a session, all of it or up to a moment."""

    step: int
    kind: str
    action_id: UUID | None
    payload: JsonObject
    holder: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ThreadRow:
    """The live thread of that name."""

    id: UUID
    agent: str
    state: str


@dataclass(frozen=True, slots=True)
class UnheldEventRow:
    """What waits for an agent goes with its next session."""

    seq: int
    ordinal: int
    topic: str
    payload: JsonObject
    taint: list[str]
    hops: int
    root: UUID | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class WatchedSessionRow:
    """The session an agent works on, or worked on last."""

    id: UUID
    state: str
