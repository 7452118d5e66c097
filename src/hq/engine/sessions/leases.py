"""Leases on sessions: they are claimed for a while, and whoever falls silent loses them."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Collection
from dataclasses import dataclass, fields
from datetime import timedelta
from uuid import UUID

from hq.clock import Clock
from hq.database.queries import beside
from hq.door.caller import new_token, token_hash
from hq.engine.sessions.places import FreePlaces
from hq.engine.sessions.rows import ClaimedSessionRow, KeptSessionRow, OutlivedSessionRow
from hq.engine.tenancy import Pool, outside, rows
from hq.ids import new_id

SQL = beside(__file__)
LEASE = timedelta(seconds=15)


@dataclass(frozen=True, slots=True)
class Claimed(ClaimedSessionRow):
    """A session to work on, and the credential to act with for as long as it is held."""

    holder: str
    token: str


class Leases:
    """What one process holds."""

    def __init__(self, pool: Pool, clock: Clock, lease: timedelta = LEASE) -> None:
        self._pool = pool
        self._clock = clock
        self._lease = lease
        self.beat = lease.total_seconds() / 4
        self.holder = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"

    async def claim(self, many: int, free: FreePlaces | None = None) -> list[Claimed]:
        """The most urgent that nobody works on, so many at most, and as there are places for each."""
        tokens = [new_token("session") for _ in range(many)]
        found = await rows(
            self._pool,
            SQL["claim"],
            {
                "holder": self.holder,
                "free": list(free or [many] * 4),
                "lease": self._lease,
                "tokens": [token_hash(token) for token in tokens],
                "credentials": [new_id() for _ in range(many)],
                "now": self._clock.now(),
            },
            into=ClaimedSessionRow,
        )
        return [
            Claimed(
                *(getattr(row, field.name) for field in fields(row)), holder=self.holder, token=tokens[row.place - 1]
            )
            for row in found
        ]

    async def others_at_work(self) -> bool:
        """Whether anybody works on a session, which would have to be taken over where they fall silent."""
        async with outside(self._pool) as reader:
            return await reader.the_scalar(SQL["at_work"], of=bool)

    async def keep(self, sessions: Collection[UUID]) -> dict[UUID, str | None]:
        """Say that we still work on these. Returns what is still ours, and why each of it should stop, if it should."""
        values = {"holder": self.holder, "sessions": list(sessions), "lease": self._lease}
        return {row.id: row.stop for row in await rows(self._pool, SQL["keep"], values, into=KeptSessionRow)}

    async def outlive(self, sessions: Collection[UUID]) -> set[UUID]:
        """Say that we are there although others took these over: we were late, and not lost. Returns what is others' now."""
        values = {"holder": self.holder, "sessions": list(sessions)}
        return {row.id for row in await rows(self._pool, SQL["worker_lives"], values, into=OutlivedSessionRow)}
