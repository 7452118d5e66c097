"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from hq.engine.sessions.lookup import SessionResult
from hq.engine.sessions.steps import StepPayload, read_step
from hq.engine.sessions.trigger import SessionTrigger
from hq.json_types import StepJson


@dataclass(frozen=True, slots=True)
class GrepHitRow:
    """Lines of results and of what tools told, that match a pattern; newest worker first. `call` counts a worker's
    calls."""

    id: UUID
    name: str
    call: int
    number: int
    line: str


@dataclass(frozen=True, slots=True)
class WorkerStepRow:
    """The journal of a worker; of a call's outcome also the text in which it is kept and searched."""

    step: int
    kind: str
    payload: StepJson
    created_at: datetime
    told: str | None
    output: bytes | None = None
    """All that its tool gave back, where that is kept as an artifact."""

    @property
    def said(self) -> StepPayload:
        return read_step(self.kind, self.payload)


@dataclass(frozen=True, slots=True)
class WorkerRow:
    """Workers, newest first: what the system knows of each."""

    tenant_id: UUID
    id: UUID
    name: str | None
    agent: str
    state: str
    trigger: SessionTrigger
    closed_as: str | None
    result: SessionResult | None
    parent_id: UUID | None
    taint: list[str]
    opened_seq: int | None
    created_at: datetime
    ended_at: datetime | None
    started_at: datetime | None
    approval: str | None
