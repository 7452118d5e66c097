"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True)
class DroppedTreeRow:
    """Sessions whose tree is no longer needed: one, or all."""

    session: str
    base: str
    saved: str | None


@dataclass(frozen=True, slots=True)
class OpenedTreeRow:
    """A session begins, or begins anew after its tree was dropped. One that is open stays as it is."""

    base: str
    saved: str | None
    opened_by: str


@dataclass(frozen=True, slots=True)
class TreeRow:
    """One session's working tree."""

    session: str
    state: str
    base: str
    saved: str | None
    opened_at: datetime
    opened_by: str
    saved_at: datetime | None
    merged_at: datetime | None
    dropped_at: datetime | None


@dataclass(frozen=True, slots=True)
class SessionTreeRow:
    """Where a session has a working tree."""

    workspace_id: UUID
    opened_by: str


@dataclass(frozen=True, slots=True)
class WorkspacePartyRow:
    """Whose files a workspace holds, and what an agent has to do with them: it works on its mission or gave it, or one above
    it; its session was sent there; it made the workspace."""

    mission: str | None
    party: bool
    sent: bool
    maker: str | None
