"""The watchdog: looks for sessions and agents that something is wrong with and raises each occurrence once. No model is asked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from hq.agents.supervision.companies import Companies
from hq.database.queries import beside
from hq.engine.tenancy import rows
from hq.guard.budgets import Budgets

SQL = beside(__file__)


@dataclass(frozen=True)
class Seen:
    """What one look found and did."""

    raised: tuple[str, ...]
    """The occurrences raised as incidents."""
    swept: int
    """Model calls whose worker is gone, counted as spent as estimated."""


@dataclass
class Watchdog:
    companies: Companies
    silent: timedelta = timedelta(minutes=1)
    """How long after its lease a session may lie unclaimed."""
    idle: timedelta = timedelta(minutes=10)
    """How long a running session may take for one step."""
    failures: int = 3
    """How many failed sessions of an agent within an hour are too many, when they are half of all or more."""
    memories: int = 200
    """How many memories of one agent are too many."""
    name: str = "watchdog"
    says: str = "raises what is wrong with sessions and agents, each once"
    every: float = 30.0
    on_news: bool = False

    async def run_once(self) -> int:
        return len((await self.look()).raised)

    async def look(self) -> Seen:
        door = self.companies.door
        swept = await Budgets(door.pool, door.clock).sweep()
        limits = {"silent": self.silent, "idle": self.idle, "failures": self.failures, "memories": self.memories}
        found = await rows(door.pool, SQL["watch"], limits | {"now": self.companies.now()})
        return Seen(tuple([once for finding in found if (once := await self._raise(finding))]), swept)

    async def _raise(self, finding: Any) -> str | None:
        args = {"agent": finding.agent, "kind": finding.kind, "once": finding.once, "summary": finding.summary}
        if finding.session_id is not None:
            args["session"] = str(finding.session_id)
        raised = await self.companies.call(finding.tenant_id, "incident.raise", args)
        if not raised.ok:
            return None
        await self.companies.note(finding.tenant_id, self.name, f"raised: {finding.summary}")
        return finding.once
