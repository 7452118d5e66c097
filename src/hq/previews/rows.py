"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class HeldSnapshotRow:
    """What workspaces hold that are not gone."""

    id: UUID
    snapshot: str | None
