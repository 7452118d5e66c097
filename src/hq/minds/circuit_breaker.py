"""The circuit breaker: a provider and key that turned one process away are left alone by all of them for a while."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from hq.clock import Clock
from hq.database.queries import beside
from hq.database.rows import RowReader
from hq.errors import Outage
from hq.minds.config import MindConfig
from hq.minds.mind import MindAway, MindBusy, MindDown, MindRefused
from hq.minds.rows import ClosedDoorRow

SQL = beside(__file__)
ANOTHER_TRY = timedelta(minutes=15)
SOON = timedelta(seconds=5)
"""When a provider that does not answer is tried again: after this, then after twice as long, and so on."""
LONGEST = timedelta(minutes=2)
"""Then every so often: an outage passes sooner than a quota."""
Connection = AsyncConnection[Any]
Pool = AsyncConnectionPool[Connection]


@dataclass(frozen=True)
class OpenCircuit:
    until: datetime
    why: str
    refused: bool
    """Its key was: not for a while, but until it has another; tried again now and then all the same."""
    unproven: bool = False
    """It was tested and has never answered: the script stands in, and it is tried again all the same."""
    away: bool = False
    """Its provider does not answer; otherwise a quota is used up."""
    closed: bool = True
    """It is not to be asked before `until`; otherwise it may, and what it was last is still all that is known."""


class Doors:
    """The doors of one company."""

    def __init__(self, pool: Pool, clock: Clock, tenant: UUID) -> None:
        self._pool = pool
        self._clock = clock
        self._tenant = tenant
        self._was_closed: set[str] = set()
        """Doors this process has seen closed: only those need forgetting when somebody is let through."""
        self._answered: set[str] = set()
        """Doors that let somebody through, as this process has written down."""
        self.unproven: set[str] = set()
        """Doors that were tested and never let anybody through, closed or not."""

    async def closed(self, doors: Sequence[str], conn: Connection | None = None) -> dict[str, OpenCircuit]:
        """Which of them nobody is to knock at now."""
        return {door: found for door, found in (await self.troubled(doors, conn)).items() if found.closed}

    async def troubled(self, doors: Sequence[str], conn: Connection | None = None) -> dict[str, OpenCircuit]:
        """Those too that turned somebody away and have let nobody through since. Asked on the connection of whoever is at work for the
        company already, or on one of its own."""
        about = {"doors": list(doors), "now": self._clock.now()}
        async with in_company(self._pool, self._tenant, conn) as inside:
            rows = await RowReader(inside).rows(SQL["closed_doors"], about, into=ClosedDoorRow)
        self._was_closed |= {row.door for row in rows}
        self.unproven = {row.door for row in rows if row.unproven}
        return {
            row.door: OpenCircuit(row.closed_until, row.why, row.refused, row.unproven, row.away, row.closed)
            for row in rows
        }

    async def close(
        self,
        door: str,
        busy: MindBusy,
        *,
        refused: bool = False,
        unproven: bool = False,
        longest: timedelta = ANOTHER_TRY,
        waited: float = 0,
    ) -> datetime:
        """Close it for everybody; until when, with what others have met there. Away it has been for as long as somebody waited in vain."""
        said = {"until": busy.until, "promised": busy.promised, "why": busy.what, "refused": refused}
        said["unproven"] = unproven
        said["longest"], said["away"] = longest, isinstance(busy, MindAway)
        said["now"] = self._clock.now()
        said["since"] = self._clock.now() - timedelta(seconds=waited)
        async with in_company(self._pool, self._tenant) as conn:
            until = await RowReader(conn).the_scalar(SQL["close_door"], {"door": door, **said}, of=datetime)
        self._was_closed.add(door)
        return until

    async def leave_alone(self, door: str, why: str) -> datetime:
        """Its key does not work: it is not asked with this one again for a while. Another key is another door."""
        return await self.close(door, MindBusy(why, self._clock.now() + ANOTHER_TRY), refused=True)

    async def has_answered(self, door: str) -> bool:
        async with in_company(self._pool, self._tenant) as conn:
            return await RowReader(conn).the_scalar(SQL["door_answered"], {"door": door}, of=bool)

    async def stand_in_for(self, door: str, error: MindBusy | MindDown | MindRefused) -> datetime:
        """It has never answered: the script does until it is tried again. That is soon, as its server may only have to be started; not
        where whoever asks would hang once more, or somebody has to set it anew."""
        now, why = self._clock.now(), error.message
        if isinstance(error, MindBusy):
            return await self.close(door, error, unproven=True)
        if isinstance(error, MindRefused) or "timeout" in error.details:
            return await self.close(door, MindBusy(why, now + ANOTHER_TRY), unproven=True)
        return await self.close(door, MindBusy(why, now + SOON, promised=False), unproven=True, longest=LONGEST)

    async def give_it_time(self, door: str, down: MindDown) -> MindAway:
        """Its provider does not answer: nobody runs against it for a while, and whoever wants to ask waits."""
        away = MindAway(down.message, self._clock.now() + SOON, promised=False)
        until = await self.close(door, away, longest=LONGEST, waited=down.details.get("waited", 0))
        return MindAway(down.message, until, **down.details)

    async def let_through(self, door: str) -> None:
        if door in self._was_closed or door not in self._answered:
            async with in_company(self._pool, self._tenant) as conn:
                await conn.execute(SQL["open_door"], {"door": door, "now": self._clock.now()})
            self._was_closed.discard(door)
            self._answered.add(door)


def door_of(config: MindConfig, key: str | None) -> str:
    """One per place and key: a new key is a new door. The mark cannot be turned back into the key."""
    mark = hashlib.sha256(b"hq mind door" + key.encode()).hexdigest()[:12] if key else "no-key"
    return f"{config.provider} {config.url or ''} {mark}"


@asynccontextmanager
async def in_company(pool: Pool, tenant: UUID, conn: Connection | None = None) -> AsyncIterator[Connection]:
    """A transaction that sees one company's rows: the one that is open already, or one of its own."""
    if conn is not None:
        yield conn
        return
    try:
        async with pool.connection() as own, own.transaction():
            await own.execute(SQL["as_tenant"], {"tenant": str(tenant)})
            yield own
    except PoolTimeout as error:
        raise Outage("every database connection is busy; try again") from error
    except psycopg.OperationalError as error:
        raise Outage("the database does not answer; try again in a moment") from error
