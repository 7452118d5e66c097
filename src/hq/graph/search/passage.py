"""A passage that may answer a query, as the index gives it out."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID


@dataclass
class Passage:
    id: int
    source_id: UUID
    whole: bytes
    part: int
    body: str
    language: str
    length: int
    thread: UUID | None
    speaker: UUID | None
    at: datetime
    before: list[int] | None
    """What was said before it in its conversation, nearest first; nothing where it is itself only context."""
    after: list[int] | None
    similar: float | None
    """Its likeness to the query, where it has a vector."""
    places: list[int] | None
    tfs: list[int] | None
    """How often it holds the query's words, by their place in the query."""
    score: float = 0.0
    held: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for place, tf in zip(self.places or (), self.tfs or (), strict=True):
            self.held[place] = max(self.held.get(place, 0), tf)


@dataclass(frozen=True)
class Term:
    """A word of the query in one language: where it stands, what it became, how rare it is."""

    place: int
    language: str
    stem: str
    term: int
    df: int
    idf: float
