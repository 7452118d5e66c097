"""Looks after work in every company: deadlines that passed, missions that can start, escalations nobody answers. In SQL."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from hq.agents.supervision.companies import Companies
from hq.engine.tenancy import rows

VERBS = {
    "deadline": "escalation.overdue",
    "ready": "mission.wake",
    "stale": "escalation.pass_on",
    "unasked": "mission.ask",
}


@dataclass
class TendWork:
    """One call for each thing that is due; a look that finds nothing is one question."""

    companies: Companies
    patience: timedelta = timedelta(hours=4)
    """How long an escalation may lie with an agent."""
    name: str = "work"
    says: str = "raises missions past their deadline, starts those that waited, passes unanswered escalations on"
    every: float = 30.0
    on_news: bool = True

    async def run_once(self) -> int:
        now = self.companies.now()
        due = await rows(
            self.companies.door.pool,
            "select * from ops.work_due(%(patience)s, %(now)s)",
            {"patience": self.patience, "now": now},
        )
        done = 0
        for each in due:
            outcome = await self.companies.call(each.tenant_id, VERBS[each.what], {"ref": str(each.id)})
            done += outcome.ok
            if outcome.ok:
                await self.companies.note(each.tenant_id, self.name, f"{each.what}: {each.slug}")
        return done
