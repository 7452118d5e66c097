"""Duties by the company's own clock: at a time of its day or week, once, also when that was missed."""

from __future__ import annotations

from dataclasses import dataclass

from hq.agents.beats import next_after
from hq.agents.supervision.companies import Companies, Company


@dataclass
class AtTimes:
    """Runs `_do` for each company whose next occurrence since the last one has come."""

    companies: Companies
    cron: str = "0 3 * * *"
    name: str = ""
    says: str = ""
    every: float = 20.0
    on_news: bool = False

    async def run_once(self) -> int:
        total = 0
        for company in await self.companies.all():
            if await self._due(company):
                did = await self._do(company)
                await self.companies.note(company.tenant, self.name, did=f"{did} {self.counted}")
                total += did
        return total

    counted = "done"

    async def _due(self, company: Company) -> bool:
        known = await self.companies.ask(company.tenant, "duty", name=self.name)
        if not known or known[0].ran_at is None:  # from now on, not for all the nights before
            await self.companies.note(company.tenant, self.name)
            return False
        return next_after(self.cron, known[0].ran_at, company.time_zone) <= self.companies.now()

    async def _do(self, company: Company) -> int:
        raise NotImplementedError


@dataclass
class RotateSessions(AtTimes):
    """A session that still runs at night ends with a memo and goes on fresh. Those that wait cost nothing and stay."""

    name: str = "rotate"
    says: str = "ends sessions that still run at 03:00, with a handover"
    counted = "sessions handed over"

    async def _do(self, company: Company) -> int:
        handed = 0
        for row in await self.companies.ask(company.tenant, "running_agents"):
            args = {"agent": row.agent, "why": "nightly rotation"}
            outcome = await self.companies.call(company.tenant, "agent.handover", args)
            handed += len(outcome.data["sessions"]) if outcome.ok else 0
        return handed


@dataclass
class TendMemory(AtTimes):
    """Weekly: what nobody confirmed is put away, too much is thinned out, MEMORY.md is written anew."""

    cron: str = "0 4 * * 0"
    name: str = "tend-memory"
    says: str = "puts decayed memories away on Sundays at 04:00 and writes MEMORY.md anew"
    counted = "memories put away"

    async def _do(self, company: Company) -> int:
        away = 0
        for row in await self.companies.ask(company.tenant, "agents"):
            outcome = await self.companies.call(company.tenant, "memory.tend", {"agent": row.slug})
            away += outcome.data["archived"] if outcome.ok else 0
        return away
