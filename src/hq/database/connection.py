"""A connection that listens for a long time."""

from __future__ import annotations

from typing import Any, TypeVar

from psycopg import AsyncConnection
from psycopg.abc import PQGen

INTERVAL = 60.0
Result = TypeVar("Result")


class ListeningConnection(AsyncConnection[Any]):
    """Waits for notices without looking up ten times a second, as psycopg does for the sake of Ctrl-C: asyncio has its
    own way for signals, and a house in which nothing happens costs nothing."""

    async def wait(self, gen: PQGen[Result], interval: float = INTERVAL, timeout: float | None = None) -> Result:
        return await super().wait(gen, interval, timeout)
