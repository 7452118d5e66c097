"""A passage that may answer a query, as the index gives it out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(slots=True)
class Passage:
    id: int
    source_id: UUID
    whole: bytes
    body: str
    thread: UUID | None
    speaker: UUID | None
    at: datetime
    before: list[int] | None
    """What was said before it in its conversation, nearest first; nothing where it is itself only context."""
    after: list[int] | None
    similar: float | None
    """How near it and what was said around it are to the query, where it has a vector."""
    places: int
    """Which words of the query it holds: a bit for each, in their order."""
    score: float = 0.0
    by_context: bool = False
    """It holds none of the words itself; what was said around it does."""

    def holds(self, place: int) -> bool:
        """Whether it holds the word at a place of the query; the first is 1."""
        return bool(self.places >> (place - 1) & 1)


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the query in one language: where it stands, what it became, how rare it is."""

    place: int
    language: str
    stem: str
    term: int
    df: int
    idf: float
