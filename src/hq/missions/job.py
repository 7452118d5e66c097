"""The job that looks after work in every company: deadlines that passed, missions that can start, escalations nobody
answers. In SQL."""

from __future__ import annotations

from datetime import timedelta

from hq.jobs.job import Every, Job, JobResult, Topic, found_by
from hq.jobs.run import JobRun
from hq.missions.rows import WorkDueRow

CALLS = {
    "deadline": "escalation.overdue",
    "ready": "mission.wake",
    "stale": "escalation.pass_on",
    "unasked": "mission.ask",
}
PATIENCE = timedelta(hours=4)
"""How long an escalation may lie with an agent."""


async def tend_work(run: JobRun) -> JobResult | None:
    """One call for each thing that is due."""
    if not isinstance(due := run.found.facts, WorkDueRow):
        return None
    await run.must(CALLS[due.what], {"ref": str(due.id)})
    return JobResult(f"{due.what}: {due.slug}")


def work_job(patience: timedelta = PATIENCE) -> Job:
    return Job(
        name="work",
        says="raises missions past their deadline, starts those that waited, passes unanswered escalations on",
        on=(Topic("*", pause=0.5), Every(30)),
        due=found_by(
            "select w.*, w.what || ':' || w.slug as item from ops.work_due(%(patience)s, %(now)s) w",
            into=WorkDueRow,
            patience=patience,
        ),
        work=tend_work,
    )


JOBS = (work_job(),)
