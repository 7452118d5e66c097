"""Rows of the sessions' queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from hq.engine.sessions.steps import RunRequest
from hq.engine.sessions.trigger import SessionTrigger, TriggerKind
from hq.json_types import StepJson


@dataclass(frozen=True, slots=True)
class KeptStepRow:
    """What happened in a session so far, the older part summed up."""

    step: int
    kind: str
    action_id: UUID | None
    payload: StepJson
    created_at: datetime


@dataclass(frozen=True, slots=True)
class TakenMessageRow:
    """What was said meanwhile, in order."""

    id: UUID
    kind: str
    sender: str
    address: str
    body: str
    taint: list[str]
    run: RunRequest | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ClaimedSessionRow:
    """A session that was taken to be worked on."""

    tenant_id: UUID
    id: UUID
    kind: str
    agent: str
    actor: str
    principal_id: UUID
    parent_id: UUID | None
    task_id: UUID
    trigger_kind: TriggerKind
    trigger: SessionTrigger
    tries: int
    stop: str | None
    taint: frozenset[str]
    scopes: frozenset[str]
    forked_from: UUID | None
    forked_at: int | None
    created_at: datetime
    urgency: int
    """As `Places` counts it."""
    place: int
    step: int
    """The last of its journal, in which nobody else writes while it is held."""


@dataclass(frozen=True, slots=True)
class OutlivedSessionRow:
    """A session that others took over from a worker that is still there."""

    id: UUID


@dataclass(frozen=True, slots=True)
class KeptSessionRow:
    """A session that is still ours, and why it should stop, if it should."""

    id: UUID
    stop: str | None
