"""The watchdog: looks for sessions and agents that something is wrong with and raises each occurrence once. No model is asked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from hq.agents.rows import FindingRow
from hq.database.queries import beside
from hq.door.door import Door
from hq.engine.tenancy import rows
from hq.guard.budgets import Budgets
from hq.jobs.job import Every, Job, JobDue, JobResult
from hq.jobs.run import JobRun

SQL = beside(__file__)


@dataclass(frozen=True)
class Watchdog:
    """From when on something counts as wrong."""

    silent: timedelta = timedelta(minutes=1)
    """How long after its lease a session may lie unclaimed."""
    idle: timedelta = timedelta(minutes=10)
    """How long a running session may take for one step."""
    failures: int = 3
    """How many failed sessions of an agent within an hour are too many, when they are half of all or more."""
    memories: int = 200
    """How many memories of one agent are too many."""

    async def due(self, door: Door, now: datetime) -> list[JobDue]:
        """Findings that nobody was told of yet. Model calls whose worker is gone are counted as spent on the way."""
        await Budgets(door.pool, door.clock).sweep()
        found = await rows(door.pool, SQL["watch"], vars(self) | {"now": now}, into=FindingRow)
        return [JobDue(finding.tenant_id, finding.once, facts=finding) for finding in found]

    async def raise_finding(self, run: JobRun) -> JobResult | None:
        if not isinstance(finding := run.found.facts, FindingRow):
            return None
        args = {"agent": finding.agent, "kind": finding.kind, "once": finding.once, "summary": finding.summary}
        if finding.session_id is not None:
            args["session"] = str(finding.session_id)
        await run.must("incident.raise", args)
        return JobResult(f"raised: {finding.summary}", result=finding.once)

    @property
    def job(self) -> Job:
        return Job(
            name="watchdog",
            says="raises what is wrong with sessions and agents, each once",
            on=(Every(30),),
            due=self.due,
            work=self.raise_finding,
        )


JOBS = (Watchdog().job,)
