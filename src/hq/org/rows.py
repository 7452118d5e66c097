"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from hq.org.types import Position


@dataclass(frozen=True, slots=True)
class SittingRow:
    """The seats of an agent, the one it was given last before the others, each with its role, its organisation and
    what that manages."""

    position: UUID
    slug: str
    props: Position
    role: str | None
    organisation: UUID | None
    value: float | None
