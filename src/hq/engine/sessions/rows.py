"""Rows of the sessions' queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from hq.json_types import JsonObject


@dataclass(frozen=True, slots=True)
class KeptStepRow:
    """What happened in a session so far, the older part summed up."""

    step: int
    kind: str
    action_id: UUID | None
    payload: JsonObject
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
    run: JsonObject | None
    created_at: datetime
