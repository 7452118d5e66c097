"""Starts what is due by the clock, in every company: once per occurrence, and once for all that were missed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from hq.agents.supervision.companies import Companies
from hq.engine.tenancy import rows


@dataclass
class RunSchedules:
    """A task opens a session in the step that moves the schedule on. A call is made first, under the occurrence's own
    key, so that whoever comes after a crash makes it no second time."""

    companies: Companies
    name: str = "schedules"
    says: str = "starts what is scheduled"
    every: float = 1.0
    on_news: bool = False

    async def run_once(self) -> int:
        now = self.companies.now()
        due = await rows(self.companies.door.pool, "select * from ops.with_schedules(%s)", [now])
        started = 0
        for each in due:
            failed = await self._called(each.tenant_id, each.id)
            outcome = await self.companies.call(each.tenant_id, "schedule.run", {"ref": str(each.id), "failed": failed})
            started += outcome.ok
            if outcome.ok:
                await self.companies.note(each.tenant_id, self.name, outcome.data["slug"])
        return started

    async def _called(self, tenant: UUID, id: UUID) -> str | None:
        """Make the call of one that makes a call; why it could not be made."""
        found = await self.companies.call(tenant, "schedule.due", {"ref": str(id)})
        terms: dict[str, Any] = found.data if found.ok else {}
        if not terms.get("verb"):
            return None
        key = f"schedule:{id}:{terms['due']}"
        how = {"agent": terms["agent"], "taint": found.taint}
        made = await self.companies.call(tenant, terms["verb"], terms["arguments"], key, **how)
        error = made.error or {}
        return None if made.ok or error.get("code") == "waiting" else error.get("message", "it failed")[:2000]
