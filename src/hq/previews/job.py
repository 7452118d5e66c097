"""The job that stops previews: of files that have changed since or are gone, and those that nobody looks at."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from hq.database.queries import beside
from hq.door.door import Door
from hq.engine.tenancy import inside
from hq.jobs.job import Every, Job, JobDue, JobResult, Topic
from hq.jobs.run import JobRun
from hq.previews.previews import Previews
from hq.previews.rows import HeldSnapshotRow

SQL = beside(__file__)


async def _due(door: Door, _now: datetime) -> Sequence[JobDue]:
    """Of those that this process has; where there are none, nothing is asked."""
    previews: Previews = door.services[Previews]
    found: list[JobDue] = []
    for tenant in {each.order.tenant for each in previews.running}:
        at_work = [each for each in previews.of(tenant) if each.running]
        async with inside(door.pool, tenant) as reader:
            values = {"workspaces": [each.order.workspace for each in at_work]}
            rows = await reader.rows(SQL["held_snapshots"], values, into=HeldSnapshotRow)
        held = {row.id: row.snapshot for row in rows}
        for each in at_work:
            changed = held.get(each.order.workspace) != each.order.snapshot
            why = "its files have changed" if changed else "nobody looked at it" if previews.idle(each) else ""
            if why:
                found.append(JobDue(tenant, str(each.order.workspace), facts=why))
    return found


async def stop_preview(run: JobRun) -> JobResult | None:
    if run.found.item is None:
        return None
    why = str(run.found.facts)
    stopped = await run.use(Previews).stop(UUID(run.found.item), why)
    return JobResult(f"stopped a preview: {why}") if stopped else None


JOBS = (
    Job(
        name="previews",
        says="stops previews of files that have changed, and those that nobody looks at",
        on=(Topic("workspace.*", "mission.*", "undo.*"), Every(60)),
        due=_due,
        work=stop_preview,
        while_frozen=True,
    ),
)
