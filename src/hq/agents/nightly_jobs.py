"""Nightly jobs of the agents: sessions that still run end with a memo, and what nobody confirmed is put away."""

from __future__ import annotations

from hq.database.queries import beside
from hq.jobs.job import Cron, Job, JobResult
from hq.jobs.run import JobRun

SQL = beside(__file__, "nightly_jobs.sql")


async def rotate_sessions(run: JobRun) -> JobResult | None:
    """A session that still runs at night ends with a memo and goes on fresh. Those that wait cost nothing and stay."""
    handed = 0
    for agent in await run.scalars(SQL["running_agents"], of=str):
        args = {"agent": agent, "why": "nightly rotation"}
        outcome = await run.call("agent.handover", args, f"{run.key}:{agent}")
        handed += len(outcome.data["sessions"]) if outcome.ok else 0
    return JobResult(f"{handed} sessions handed over", handed) if handed else None


async def tend_memory(run: JobRun) -> JobResult | None:
    """Weekly: what nobody confirmed is put away, too much is thinned out, MEMORY.md is written anew."""
    away = 0
    for agent in await run.scalars(SQL["agents"], of=str):
        outcome = await run.call("memory.tend", {"agent": agent}, f"{run.key}:{agent}")
        away += outcome.data["archived"] if outcome.ok else 0
    return JobResult(f"{away} memories put away", away) if away else None


JOBS = (
    Job(
        name="rotate",
        says="ends sessions that still run at 03:00, with a handover",
        on=(Cron("0 3 * * *"),),
        work=rotate_sessions,
        while_frozen=True,
    ),
    Job(
        name="tend-memory",
        says="puts decayed memories away on Sundays at 04:00 and writes MEMORY.md anew",
        on=(Cron("0 4 * * 0"),),
        work=tend_memory,
    ),
)
