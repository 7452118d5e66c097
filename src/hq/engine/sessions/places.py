"""Places for sessions in a process: how many it works on at a time, and how many of them are kept for whom.

Whatever else is slow, the founder's own conversation finds a place, and so does who waits for an answer live.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

LOOKS_BACK = 3
"""The urgency of a conversation that has gone quiet; `ops.urgency` says which is which."""


class FreePlaces(NamedTuple):
    founder: int
    """For the founder's own conversation: of all places."""
    live: int
    """For whoever else waits for an answer live: of all but those kept for the founder."""
    work: int
    """For the work of agents: of all but those kept for the two."""
    look_backs: int
    """For conversations that look back at themselves: of theirs."""


@dataclass(frozen=True)
class Places:
    room: int
    """How many at a time."""

    @property
    def kept(self) -> int:
        """For the founder, and once more for whoever else waits live."""
        return self.room // 6

    def free(self, held: Collection[int]) -> FreePlaces:
        """What is free while sessions of these urgencies are worked on."""
        left = self.room - len(held)
        quiet = sum(urgency == LOOKS_BACK for urgency in held)
        work = max(0, left - 2 * self.kept)
        return FreePlaces(max(0, left), max(0, left - self.kept), work, max(0, max(1, self.room // 3) - quiet))
