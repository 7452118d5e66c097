"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True)
class ArtifactRow:
    """One artifact with its bytes."""

    id: UUID
    action_id: UUID
    name: str
    media_type: str
    size: int
    complete: bool
    taint: list[str]
    created_at: datetime
    content: bytes


@dataclass(frozen=True, slots=True)
class ListedArtifactRow:
    """Artifacts, newest first: their ids are in the order they were made."""

    id: UUID
    action_id: UUID
    name: str
    media_type: str
    size: int
    complete: bool
    taint: list[str]
    created_at: datetime
    created_by: str
