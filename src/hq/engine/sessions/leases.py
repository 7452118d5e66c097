"""Leases on sessions: they are claimed for a while, and whoever falls silent loses them."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from hq.clock import Clock
from hq.database.queries import beside
from hq.door.caller import new_token, token_hash
from hq.engine.sessions.places import FreePlaces
from hq.engine.sessions.rows import ClaimedSessionRow, KeptSessionRow, OutlivedSessionRow
from hq.engine.sessions.trigger import SessionTrigger, TriggerKind
from hq.engine.tenancy import Pool, outside, rows
from hq.ids import new_id

SQL = beside(__file__)
LEASE = timedelta(seconds=15)


@dataclass(frozen=True)
class Claimed:
    """A session to work on, and the credential to act with for as long as it is held."""

    tenant_id: UUID
    id: UUID
    kind: str
    agent: str
    actor: str
    principal_id: UUID
    parent_id: UUID | None
    task_id: UUID
    trigger_kind: TriggerKind
    trigger: SessionTrigger
    tries: int
    taint: frozenset[str]
    scopes: frozenset[str]
    forked_from: UUID | None
    forked_at: int | None
    created_at: datetime
    holder: str
    token: str
    stop: str | None = None
    urgency: int = 2
    """As `Places` counts it."""
    step: int = 0
    """The last of its journal, in which nobody else writes while it is held."""


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
                tenant_id=r.tenant_id,
                id=r.id,
                kind=r.kind,
                agent=r.agent,
                actor=r.actor,
                principal_id=r.principal_id,
                parent_id=r.parent_id,
                task_id=r.task_id,
                trigger_kind=r.trigger_kind,
                trigger=r.trigger,
                tries=r.tries,
                taint=frozenset(r.taint),
                scopes=frozenset(r.scopes),
                forked_from=r.forked_from,
                forked_at=r.forked_at,
                created_at=r.created_at,
                holder=self.holder,
                token=tokens[r.place - 1],
                stop=r.stop,
                urgency=r.urgency,
                step=r.step,
            )
            for r in found
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
