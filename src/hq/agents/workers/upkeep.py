"""Looking after the artifact directory: made anew when asked, cleared of what is old by a job."""

from __future__ import annotations

from hq.agents.workers.artifacts import Artifacts
from hq.door.access import STAFF
from hq.door.tx import Tx
from hq.door.verb import Args, Result, verb
from hq.jobs.job import Cron, Job, JobResult
from hq.jobs.run import JobRun


class WorkerReindexArgs(Args):
    """Nothing to say."""


class Reindexed(Result):
    workers: int
    """How many directories were written."""
    expired: int
    """Of how many of them only the result is kept."""
    message: str


@verb("worker.reindex", "effect", for_=STAFF, examples=[{}])
async def reindex(tx: Tx, args: WorkerReindexArgs) -> Reindexed:
    """Make the artifact directory of this machine anew from the journals, and its index."""
    done = await tx.use(Artifacts).rebuild(tx.caller.tenant_id, tx.now)
    return Reindexed(
        workers=done.workers,
        expired=done.expired,
        message=f"wrote {done.workers} workers, {done.expired} without details",
    )


async def keep_artifacts(run: JobRun) -> JobResult | None:
    """Retention: once a day the details of old workers and what tools gave back go; results stay."""
    kept = run.use(Artifacts)
    workers = await kept.expire(run.tenant, run.now)
    cleared = workers + (await run.must("artifact.expire", {"days": kept.keep_days}, run.key))["artifacts"]
    return JobResult(f"{cleared} artifacts and workers cleared", cleared) if cleared else None


VERBS = (reindex,)
JOBS = (
    Job(
        name="keep-artifacts",
        says="clears old artifacts and the details of old workers at 04:30; results stay",
        on=(Cron("30 4 * * *"),),
        work=keep_artifacts,
    ),
)
