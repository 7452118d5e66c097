"""`hq job list|show|run|runs|pause|resume`: what runs by itself, when, and what came of it."""

from __future__ import annotations

from datetime import timedelta
from typing import TypedDict

from pydantic import Field

from hq.door.access import AGENTS, EVERYONE, HOUSE, Touch
from hq.door.access_rule import Access
from hq.door.json_shape import AsJson
from hq.door.results import Listing
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.errors import Refused
from hq.jobs.cron import next_after
from hq.jobs.job import HOUSE_KIND, Cron, Job, JobDue, JobRegistry, JobResult, JobRow
from hq.jobs.rows import JobRunRow, LastRunRow
from hq.jobs.run import BY_HAND, SQL, JobRun, Ran, carried_out, note
from hq.suggestion import did_you_mean

KEPT = timedelta(days=90)
"""How long runs are kept."""
JOB = (Touch("job", "job"), Touch("job", "job_of_node", operator="own"))


class JobListArgs(Args):
    """Which jobs."""

    agent: Ref | None = None
    """Only what wakes this agent."""


class JobItem(TypedDict):
    """A job in a line."""

    job: str
    says: str
    on: str
    state: str
    next: str | None
    last: str | None
    did: str | None
    failed: str | None


class JobRunItem(TypedDict):
    """A run of a job."""

    at: str
    job: str
    cause: str
    status: str
    did: str | None
    error: str | None
    about: str | None
    took_ms: int
    tokens: int
    cost_usd: float
    session: str | None


class DutyItem(TypedDict):
    """What the house does by itself, and did last."""

    duty: str
    says: str
    last: str | None
    did: str | None
    failed: str | None


@verb("job.list", "read", for_=EVERYONE, past=False, examples=[{}])
async def list_(tx: Tx, args: JobListArgs) -> Listing[JobItem]:
    """What runs by itself: what sets it off, when it runs next, and what it did last."""
    kept = {row.name: row for row in await tx.rows(SQL["rows"], {"name": None}, into=JobRow)}
    own = [row for row in kept.values() if row.kind != HOUSE_KIND and args.agent in (None, row.agent)]
    house = [] if args.agent else tx.use(JobRegistry).of_house
    last = await _last(tx, [*(job.name for job in house), *(row.name for row in own)])
    return Listing[JobItem](
        items=[
            *(_item(job.name, job.says, job.triggers, kept.get(job.name), last) for job in house),
            *(_item(row.name, row.says, row.cron or "once", row, last) for row in own),
        ]
    )


async def _last(tx: Tx, names: list[str]) -> dict[str, LastRunRow]:
    return {row.name: row for row in await tx.rows(SQL["last_runs"], {"names": names}, into=LastRunRow)}


def _item(name: str, says: str, on: str, row: JobRow | None, last: dict[str, LastRunRow]) -> JobItem:
    ran = last.get(name)
    last_at = row.last_at if row and row.last_at else ran.started_at if ran else None
    return {
        "job": name,
        "says": says,
        "on": on,
        "state": "paused" if row and row.state == "paused" else "failing" if ran and ran.status == "failed" else "on",
        "next": row.next_at.isoformat() if row and row.next_at and row.state == "on" else None,
        "last": last_at.isoformat() if last_at else None,
        "did": ran.did_last if ran else None,
        "failed": ran.error if ran else None,
    }


class JobArgs(Args):
    """Which job."""

    job: str = first(min_length=1, max_length=300)
    """Its name, as `hq job list` shows it."""


class JobShown(Result):
    job: str
    says: str
    on: str
    """What sets it off."""
    state: str
    next: str | None = None
    last: str | None = None
    did: str | None = None
    failed: str | None = None
    timeout_seconds: float
    runs: AsJson[list[JobRunItem]] = Field(default_factory=list)
    """The last of its runs that did something or failed, newest first."""


@verb("job.show", "read", for_=EVERYONE, past=False, examples=[{"job": "morning-brief"}])
async def show(tx: Tx, args: JobArgs) -> JobShown:
    """One job: what it does, what sets it off, and its last runs."""
    job, row = await _known(tx, args.job)
    says, on = (job.says, job.triggers) if row is None or row.kind == HOUSE_KIND else (row.says, row.cron or "once")
    item = _item(args.job, says or job.says, on, row, await _last(tx, [args.job]))
    return JobShown(**item, timeout_seconds=job.timeout, runs=await _runs(tx, args.job, 10))


async def _known(tx: Tx, name: str) -> tuple[Job, JobRow | None]:
    jobs = tx.use(JobRegistry).jobs
    row = await tx.one(SQL["rows"], {"name": name}, into=JobRow)
    kind = row.kind if row is not None and row.kind != HOUSE_KIND else name
    if (job := jobs.get(kind)) and (row is not None or not job.own_times):
        return job, row
    names = [*jobs, *(each.name for each in await tx.rows(SQL["rows"], {"name": None}, into=JobRow))]
    raise Refused.not_found(
        f"there is no job {name!r}{did_you_mean(name, names)}", hint="`hq job list` shows the jobs of this company"
    )


class JobRunsArgs(Args):
    """Which runs."""

    job: str | None = Field(None, max_length=300, json_schema_extra={"positional": True})
    """Only of this job."""
    limit: int = Field(50, ge=1, le=200)
    """How many at most."""


@verb("job.runs", "read", for_=EVERYONE, past=False, examples=[{}])
async def runs(tx: Tx, args: JobRunsArgs) -> Listing[JobRunItem]:
    """What jobs did or could not do, newest first: what set each run off, how long it took, what it cost."""
    return Listing[JobRunItem](items=await _runs(tx, args.job, args.limit))


async def _runs(tx: Tx, job: str | None, limit: int) -> list[JobRunItem]:
    found = await tx.rows(SQL["runs"], {"job": job, "limit": limit}, into=JobRunRow)
    return [
        {
            "at": row.started_at.isoformat(),
            "job": row.job,
            "cause": row.cause,
            "status": row.status,
            "did": row.did,
            "error": row.error,
            "about": row.item,
            "took_ms": row.duration_ms,
            "tokens": int(row.tokens),
            "cost_usd": float(row.cost_usd),
            "session": str(row.session_id) if row.session_id else None,
        }
        for row in found
    ]


class JobRan(Result):
    job: str
    status: str
    """done, nothing, or failed."""
    message: str = ""
    did: list[str] = Field(default_factory=list)
    """What it did."""
    error: str | None = None
    session: str | None = None
    """The session that it opened, if any."""
    about: str | None = None
    """Which of several things it was for."""


async def _to_run(tx: Tx, args: JobArgs) -> tuple[Job, JobRow | None]:
    job, row = await _known(tx, args.job)
    if job.by_hand is not None and row is not None:
        await job.by_hand(tx, row)
    return job, row


@verb("job.run", "effect", for_=AGENTS, touches=JOB, scope="write", gate="system", emits="job.ran",
      prepare=_to_run, past=False, examples=[{"job": "keep-artifacts"}])  # fmt: skip
async def run(tx: Tx, args: JobArgs) -> JobRan:
    """Run a job now, as its trigger would. When it runs next by itself stays as it is."""
    job, row = tx.prepared
    tenant = tx.caller.tenant_id
    found = [JobDue(tenant)]
    if job.due is not None:
        found = [due for due in await job.due(tx.door, tx.now) if due.tenant == tenant]
        found = [due for due in found if due.at is None or due.at <= tx.now]
    runs = [JobRun(tx.door, job, args.job, BY_HAND, due, row=row, action=tx.action_id) for due in found]
    ran = [await carried_out(each) for each in runs]
    if not runs:
        await note(JobRun(tx.door, job, args.job, BY_HAND, JobDue(tenant), action=tx.action_id), Ran(), tx.now, 0)
    return _told(args.job, ran)


def _told(job: str, ran: list[Ran]) -> JobRan:
    results = [each.result for each in ran if each.result]
    errors = [each.error for each in ran if each.error]
    session = next((each.session for each in results if each.session), None)
    said = [*(each.did for each in results), *(f"failed: {error}" for error in errors)]
    return JobRan(
        job=job,
        status="failed" if errors else "done" if results else "nothing",
        message=f"{job}: {'; '.join(said) or 'nothing to do'}",
        did=[each.did for each in results],
        error="; ".join(errors) or None,
        session=str(session) if session else None,
    )


class JobSwitched(Result):
    job: str
    state: str
    next: str | None = None


@verb(
    "job.pause",
    "write",
    for_=AGENTS,
    touches=JOB,
    gate="system",
    emits="job.paused",
    while_frozen=HOUSE,
    examples=[{"job": "weekly-digest"}],
)
async def pause(tx: Tx, args: JobArgs) -> JobSwitched:
    """Let a job rest here; what falls into that time is not made up for. By hand it still runs."""
    return await _switch(tx, args.job, on=False)


@verb(
    "job.resume",
    "write",
    for_=AGENTS,
    touches=JOB,
    gate="system",
    emits="job.resumed",
    examples=[{"job": "weekly-digest"}],
)
async def resume(tx: Tx, args: JobArgs) -> JobSwitched:
    """Let a job run by itself again, from its next time on."""
    return await _switch(tx, args.job, on=True)


async def _switch(tx: Tx, name: str, *, on: bool) -> JobSwitched:
    job, row = await _known(tx, name)
    if row is not None and job.own_times and row.cron is None and job.switched is None:
        raise Refused.conflict(f"{name} is for one moment; it cannot rest")
    if row is not None and row.state == "paused" and row.node_id is None:  # what is a node's goes by its state
        await tx.use(Access).check_rest(tx, f"job:{name}", row.state, row.paused_by)
    if job.switched is not None and row is not None:
        await job.switched(tx, row, on)
    cron = row.cron if row is not None and row.cron else job.cron
    zone = row.zone if row is not None and row.zone else (await tx.the_scalar(SQL["zone"], of=str))
    following = next_after(cron, tx.now, zone) if cron else row.next_at if row is not None else None
    state = "on" if on else "paused"
    values = {"name": name, "cron": cron, "zone": zone, "state": state, "next": following}
    values["by"] = None if on else tx.caller.actor
    await tx.conn.execute(SQL["switch"], values)
    return JobSwitched(job=name, state=state, next=following.isoformat() if on and following else None)


class JobReportArgs(Args):
    """What failed."""

    job: str = Field(max_length=300)
    why: str = Field(max_length=2000)
    cause: str = Field(max_length=300)
    about: str | None = Field(None, max_length=500)


@verb("job.report", "write", for_=HOUSE, internal=True, emits="job.failed", while_frozen=HOUSE)
async def report(tx: Tx, args: JobReportArgs) -> JobRan:
    """A job begins to fail; said once, until it has worked again."""
    return JobRan(job=args.job, status="failed", error=args.why, about=args.about)


class ListDuties(Args):
    """Nothing to choose."""


@verb("duty.list", "read", for_=EVERYONE, past=False, examples=[{}])
async def duties(tx: Tx, args: ListDuties) -> Listing[DutyItem]:
    """What the house does by itself, and what each duty did here last; `hq job list` has more."""
    house = tx.use(JobRegistry).of_house
    kept = {row.name: row for row in await tx.rows(SQL["rows"], {"name": None}, into=JobRow)}
    last = await _last(tx, [job.name for job in house])
    items = [_item(job.name, job.says, "", kept.get(job.name), last) for job in house]
    return Listing[DutyItem](
        items=[
            {"duty": job["job"], "says": job["says"], "last": job["last"], "did": job["did"], "failed": job["failed"]}
            for job in items
        ]
    )


async def _forget(run: JobRun) -> JobResult | None:
    [gone] = await run.scalars(SQL["forget"], {"before": run.now - KEPT}, of=int)
    return JobResult(f"forgot {gone} runs", gone) if gone else None


JOBS = (
    Job(
        name="forget-runs",
        says=f"forgets runs of jobs after {KEPT.days} days, at 04:45",
        on=(Cron("45 4 * * *"),),
        work=_forget,
    ),
)
VERBS = (list_, show, run, runs, pause, resume, report, duties)
