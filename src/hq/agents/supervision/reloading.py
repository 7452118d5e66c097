"""Keeps the graph in step with the agents' files: a company without any gets the shipped ones, a change is loaded."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from hq.agents.files.folder import AgentFiles
from hq.agents.supervision.companies import Companies, Company


@dataclass
class LoadAgents:
    """Looks at the times of the files; reads them only when one changed."""

    companies: Companies
    name: str = "load-agents"
    says: str = "loads agents whose files changed"
    every: float = 5.0
    on_news: bool = False
    _seen: dict[UUID, Any] = field(default_factory=dict)

    async def run_once(self) -> int:
        files: AgentFiles = self.companies.door.services[AgentFiles]
        changed = 0
        for company in await self.companies.all():
            there = files.folder(company.slug).exists()
            look = (company.time_zone, await asyncio.to_thread(files.signature, company.slug)) if there else None
            if look is not None and (self._seen.get(company.tenant) == look or await self._in_step(company, files)):
                self._seen[company.tenant] = look
                continue
            outcome = await self.companies.call(company.tenant, "agent.load", {})
            if not outcome.ok:
                continue
            self._seen[company.tenant] = (company.time_zone, await asyncio.to_thread(files.signature, company.slug))
            changed += await self._noted(company.tenant, outcome.data["items"])
        return changed

    async def _in_step(self, company: Company, files: AgentFiles) -> bool:
        """At the first look of a process: whether the graph has these very versions already."""
        if company.tenant in self._seen:
            return False
        slugs = files.slugs(company.slug)
        loaded = [await asyncio.to_thread(files.load, company.slug, slug) for slug in slugs]
        known = {row.slug: row.version for row in await self.companies.ask(company.tenant, "versions")}
        return bool(loaded) and all(not each.problems and known.get(each.slug) == each.version for each in loaded)

    async def _noted(self, tenant: UUID, items: list[dict[str, Any]]) -> int:
        changed = [item["agent"] for item in items if item["changed"]]
        problems = [problem for item in items for problem in item["problems"]]
        if changed or problems:
            did = f"loaded {', '.join(changed)}" if changed else None
            await self.companies.note(tenant, self.name, did, failed="; ".join(problems)[:1000] or None)
        return len(changed)
