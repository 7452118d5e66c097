"""Reads of a page: as whoever looks at it, through the same verbs as everybody, and all of them at one moment."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from hq.door.door import Door
from hq.door.read_batch import Reads, reading


@dataclass(frozen=True)
class PageReader:
    door: Door
    reads: Reads
    at: str | None = None
    """The moment it reads about; nothing means now."""
    known_at: str | None = None
    """What was known by when; nothing means by now."""

    @classmethod
    @asynccontextmanager
    async def opened(
        cls,
        door: Door,
        token: str,
        at: str | None = None,
        trace_id: UUID | None = None,
        known_at: str | None = None,
    ) -> AsyncIterator[PageReader]:
        async with reading(door, token, trace_id) as reads:
            yield cls(door, reads, at, known_at)

    @property
    def now(self) -> PageReader:
        """The same reader for what has no past, such as who waits for an answer."""
        return replace(self, at=None, known_at=None)

    def has(self, verb: str) -> bool:
        return verb in self.door.registry.verbs

    async def read(self, verb: str, **args: Any) -> Any:
        return await self.reads.read(verb, args, self.at, self.known_at)
