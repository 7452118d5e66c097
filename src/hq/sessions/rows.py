"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from hq.engine.sessions.trigger import SessionTrigger
from hq.json_types import StepJson


@dataclass(frozen=True, slots=True)
class ClosedSessionRow:
    """A session that was closed."""

    agent: str
    kind: str
    parent_id: UUID | None
    done: int
    """Its last step was written, and its end."""


@dataclass(frozen=True, slots=True)
class ListedSessionRow:
    """Sessions, newest first; of a moment, each as its journal tells that it was then."""

    id: UUID
    kind: str
    agent: str
    state: str
    trigger_kind: str
    trigger: SessionTrigger
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
    payload: StepJson
    holder: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class RecordedStepRow:
    """What was said to minds and what they answered, session by session in the order in which these began."""

    session_id: UUID
    agent: str
    session_kind: str
    trigger_kind: str
    trigger: SessionTrigger
    step: int
    kind: str
    payload: StepJson


@dataclass(frozen=True, slots=True)
class TranscriptKeyRow:
    """The transcripts whose key begins like this, each with when it was last added to."""

    key: str
    mtime: int


@dataclass(frozen=True, slots=True)
class CausedCallRow:
    """A call that was done by somebody's own word."""

    id: UUID
    action_type: str
    created_at: datetime
    title: str | None
    by_word: bool
    """No other spoke between the word and the call."""


@dataclass(frozen=True, slots=True)
class ThreadRow:
    """The live thread of that name."""

    id: UUID
    agent: str
    state: str
