"""Work that a session leaves: whether it is still its agent's to do knows a room above."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from hq.database.rows import RowReader


@dataclass(frozen=True)
class OpenWork:
    """Handed in by the room that has missions."""

    left: Callable[[RowReader, str, str], Awaitable[bool]]
    """Of a mission's id and an agent: whether the agent has it in hand, and nothing else goes on with it or is waited for."""
