"""What the duties share: going through the companies, asking and noting on each one's behalf."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, LiteralString
from uuid import UUID

import structlog

from hq.database.queries import beside
from hq.door.door import Door
from hq.door.outcome import Outcome
from hq.engine.house import House
from hq.engine.tenancy import inside, rows

SQL = beside(__file__)
log = structlog.get_logger("hq.supervisor")


@dataclass(frozen=True)
class Company:
    tenant: UUID
    slug: str
    time_zone: str


class Companies:
    """All companies of this installation, seen by the house."""

    def __init__(self, door: Door) -> None:
        self.door = door
        self.house = House(door)

    def now(self) -> datetime:
        return self.door.clock.now()

    async def all(self) -> list[Company]:
        return [Company(*row) for row in await rows(self.door.pool, "select * from ops.companies()")]

    async def named(self, question: LiteralString, values: Any = None) -> list[UUID]:
        """Companies that a question names."""
        return [row.tenant_id for row in await rows(self.door.pool, question, values)]

    async def ask(self, tenant: UUID, query: str, **values: Any) -> list[Any]:
        """A named query, on this company's rows."""
        async with inside(self.door.pool, tenant) as cursor:
            await cursor.execute(SQL[query], values)
            return await cursor.fetchall() if cursor.description else []

    async def call(
        self,
        tenant: UUID,
        verb: str,
        args: dict[str, Any],
        key: str | None = None,
        *,
        agent: str | None = None,
        taint: frozenset[str] = frozenset(),
    ) -> Outcome:
        """A call as the house, or as an agent it acts for. A refusal is written down, not raised: one company must not
        stop the others."""
        outcome = await self.house.call(tenant, verb, args, key, agent=agent, taint=taint)
        if not outcome.ok:
            log.warning("refused", verb=verb, tenant=str(tenant), error=outcome.error)
        return outcome

    async def note(self, tenant: UUID, duty: str, did: str | None = None, failed: str | None = None) -> None:
        """What a duty did here; `hq duty list` shows it. Nothing is noted while nothing happens."""
        await self.ask(tenant, "note_duty", name=duty, now=self.now(), did=did, failed=failed)
