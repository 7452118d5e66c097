"""Sees handoffs through: a successor that began, a predecessor that ended without a word, a time that is up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from hq.agents.supervision.companies import Companies
from hq.database.queries import beside
from hq.engine.tenancy import inside

SQL = beside(__file__)


@dataclass
class TendHandoffs:
    """No handoff under way costs one question."""

    companies: Companies
    name: str = "handoffs"
    says: str = "completes handoffs, and gives up those whose time is over"
    every: float = 2.0
    on_news: bool = True

    async def run_once(self) -> int:
        settled = 0
        for tenant in await self.companies.named("select * from ops.with_handoffs()"):
            for slug in await self._open(tenant):
                outcome = await self.companies.call(tenant, "handoff.tend", {"handoff": slug})
                settled += bool(outcome.ok and outcome.data["status"] != "requested")
        return settled

    async def _open(self, tenant: UUID) -> list[str]:
        async with inside(self.companies.door.pool, tenant) as cursor:
            await cursor.execute(SQL["open"])
            rows: list[Any] = await cursor.fetchall()
        return [row.slug for row in rows]
