"""The job of handoffs: a successor that began, a predecessor that ended without a word, a time that is up."""

from __future__ import annotations

from hq.jobs.job import Every, Job, JobResult, Topic, found_by
from hq.jobs.run import JobRun
from hq.sessions.handoff.rows import HandoffDueRow


async def see_through(run: JobRun) -> JobResult | None:
    """One handoff whose sessions moved, or whose time is up. Nothing is called while nothing is to be done."""
    if run.found.item is None:
        return None
    data = await run.must("handoff.tend", {"handoff": run.found.item})
    return JobResult(f"{run.found.item}: {data['status']}") if data["status"] != "requested" else None


JOBS = (
    Job(
        name="handoffs",
        says="completes handoffs, and gives up those whose time is over",
        on=(Topic("session.*", "handoff.*", "agent.*"), Every(60)),
        due=found_by("select * from ops.handoffs_due(%(now)s)", into=HandoffDueRow),
        work=see_through,
        while_frozen=True,
    ),
)
