"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True)
class ProducerHealthRow:
    """For each of these producers: when it was last heard from by then, how much came in, and how often its calls failed."""

    id: UUID
    nodes: int
    last_node: datetime | None
    calls: int
    failed: int
    last_call: datetime | None
