"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from hq.json_types import JsonObject


@dataclass(frozen=True, slots=True)
class NodeChangeRow:
    """Every change point of an item that was known by then, newest first, with how long each was believed."""

    seq: int
    op: str
    actor: str
    reason: str
    recorded_at: datetime
    valid_from: datetime
    touched: list[str]
    patch: JsonObject
    action_id: UUID
    believed_until: datetime | None


@dataclass(frozen=True, slots=True)
class EdgeTargetRow:
    """Where an edge leads."""

    from_id: UUID
    type: str
    to_id: UUID
