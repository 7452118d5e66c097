"""The job of the founder's schedules: each has a clock of its own in `ops.jobs`, and its words in its node."""

from __future__ import annotations

from uuid import UUID

from hq.door.tx import Tx
from hq.errors import Refused
from hq.jobs.job import Job, JobResult, JobRow, OwnTime
from hq.jobs.run import JobRun
from hq.json_types import CallResult
from hq.schedules.types import Schedule
from hq.schedules.verbs import upcoming


async def start(run: JobRun) -> JobResult | None:
    """A task opens a session. A call is made first, under the occurrence's own key, so that whoever comes after a crash
    makes it no second time."""
    id = str(run.own_row.node_id)
    failed, called = await _called(run, id)
    args = {"ref": id, "failed": failed, "by_hand": run.by_hand}
    started = await run.must("schedule.run", args, run.key)
    if not called and not started.get("session"):
        return None
    session = UUID(started["session"]) if started.get("session") else None
    return JobResult(f"{started['slug']}: {f'failed: {failed}' if failed else 'started'}", session=session)


async def _called(run: JobRun, id: str) -> tuple[str | None, bool]:
    """Make the call of one that makes a call: why it could not be made, and whether there is one."""
    found = await run.call("schedule.due", {"ref": id})
    terms: CallResult = found.data if found.ok else {}
    if not terms.get("verb"):
        return None, False
    key = f"schedule:{id}:{run.due.isoformat()}" if run.due else run.key
    made = await run.call(terms["verb"], terms["arguments"], key, agent=terms["agent"], taint=found.taint)
    return None if made.code in (None, "waiting") else made.message[:2000], True


async def _switched(tx: Tx, row: JobRow, on: bool) -> None:
    """The node goes with its clock."""
    schedule = await tx.get(str(row.node_id), Schedule)
    if on and upcoming(schedule.props, tx.now) is None:
        raise Refused.conflict(f"{schedule.slug} was for {schedule.props.once_at}, which is over; add another")
    tx.target = await tx.move(schedule, to="active" if on else "paused")


JOBS = (
    Job(
        name="schedule",
        says="starts what is scheduled",
        on=(OwnTime(),),
        work=start,
        switched=_switched,
        timeout=900,
    ),
)
