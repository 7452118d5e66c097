"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class GivenSkillRow:
    """Which agents were given which of these skills."""

    agent: UUID
    skill: UUID


@dataclass(frozen=True, slots=True)
class LoadRow:
    """How many missions each agent has under way, but for one. The open missions first (`offset 0`), then whose each
    is."""

    agent: UUID
    many: int
