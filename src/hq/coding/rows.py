"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True)
class AddedStepRow:
    """Write down what a coding program did, behind what there is."""

    step: int
    kind: str
    tool: str
    text: str


@dataclass(frozen=True, slots=True)
class CodingStepRow:
    """What a coding program did, in order."""

    step: int
    at: datetime
    kind: str
    tool: str
    text: str


@dataclass(frozen=True, slots=True)
class CodeDueRow:
    """A run that is to be carried on, and why."""

    tenant_id: UUID
    id: UUID
    slug: str
    what: str
    requester: str | None
    session: str
    workspace: UUID
    item: str
