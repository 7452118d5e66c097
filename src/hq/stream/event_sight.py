"""Event sight: which events are told to somebody who does not see everybody's calls."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from hq.graph.catalogue import Catalogue


@dataclass(frozen=True)
class EventSight:
    """The events of one's own calls and of theirs whom one leads; and of anybody's, what was written of something that the
    whole company sees. What a call brought from outside is its caller's."""

    principals: frozenset[UUID]
    nouns: frozenset[str]

    @classmethod
    def of(cls, principals: Iterable[UUID | str] | None, catalogue: Catalogue) -> EventSight | None:
        """For who sees the calls of these; nothing for who sees everybody's."""
        if principals is None:
            return None
        return cls(frozenset(UUID(str(each)) for each in principals), frozenset(catalogue.shared))

    def sees(self, topic: str, principal: UUID, kind: str, about: str | None) -> bool:
        shared = kind == "write" and topic.partition(".")[0] in self.nouns and (about is None or about in self.nouns)
        return shared or principal in self.principals
