"""Verbs over workers, past and present. Everything is read from the journal, so it is the same on every machine."""

from __future__ import annotations

from datetime import timedelta
from typing import Literal, TypedDict

from psycopg import errors
from pydantic import Field

from hq.database.queries import beside
from hq.door.access import STAFF, Touch
from hq.door.results import Listing, Page, page
from hq.door.tx import Tx
from hq.door.verb import Args, Result, first, verb
from hq.errors import Refused
from hq.ids import parse_id
from hq.sessions.workers import record
from hq.sessions.workers.artifacts import Artifacts
from hq.sessions.workers.record import WorkerItem
from hq.sessions.workers.rows import GrepHitRow, WorkerRow, WorkerStepRow
from hq.sessions.workers.spawn import EXAMPLE, found, marks_of, taint_by
from hq.suggestion import did_you_mean

SQL = beside(__file__)
PART = 20_000


class WorkerListArgs(Args):
    """Which workers."""

    status: Literal["running", "success", "failed", "timeout", "cancelled"] | None = None
    """Only those; the system says it, never the worker."""
    parent: str | None = Field(None, max_length=60)
    """Only those that this session spawned."""
    limit: int = Field(50, ge=1, le=200)
    """How many at most."""
    after: str | None = Field(None, max_length=200)
    """The `next` of the page before."""


@verb("worker.list", "read", for_=STAFF, past=False, examples=[{}, {"status": "failed"}])
async def list_(tx: Tx, args: WorkerListArgs) -> Page[WorkerItem]:
    """Workers, newest first, each with a summary of at most 150 characters and never more."""
    states, timed_out = record.IN_STATES[args.status] if args.status else (None, None)
    before = (await found(tx, args.after)).id if args.after else None
    rows = await tx.rows(
        SQL["workers"],
        {
            **record.ANY,
            "sees": await tx.seen_agents(),
            "parent": parse_id(args.parent) if args.parent else None,
            "states": states,
            "timed_out": timed_out,
            "before": before,
            "limit": args.limit + 1,
        },
        into=WorkerRow,
    )
    workers = [record.worker_of(row) for row in rows]
    await taint_by(tx, workers[: args.limit])
    return page(workers, args.limit, lambda worker: worker.name, lambda worker: worker.in_brief())


class WorkerMetadataArgs(Args):
    """Which worker."""

    worker: str = first(min_length=1, max_length=200)
    """Its name, as `hq worker list` shows it."""


class WorkerReadArgs(WorkerMetadataArgs):
    path: str = Field(record.RESULT, max_length=200)
    """Which of its files: result.txt, thread.jsonl, metadata.json, tool_calls/001_….txt."""
    offset: int = Field(0, ge=0)
    """From this character on."""


class Contents(Result):
    worker: str
    path: str
    text: str
    files: list[str]
    """What there is to read."""
    next: int | None = None
    """Pass as `offset` for what follows; absent at the end."""


@verb(
    "worker.read",
    "read",
    for_=STAFF,
    touches=Touch("worker", "worker", agent="led"),
    past=False,
    examples=[{"worker": EXAMPLE, "path": record.METADATA}],
    text="hq.sessions.workers.worker_text:contents",
)
async def read(tx: Tx, args: WorkerReadArgs) -> Contents:
    """What a worker left: its result, or any of its files."""
    worker = await found(tx, args.worker)
    files = record.files(worker, await tx.rows(SQL["steps"], {"id": worker.id}, into=WorkerStepRow))
    if args.path not in files:
        if args.path == record.RESULT:
            raise Refused.conflict(
                f"{worker.name} is {worker.status} and has no result yet", hint="`hq worker wait` waits for it"
            )
        raise Refused.not_found(f"{worker.name} has no file {args.path!r}{did_you_mean(args.path, files)}")
    await taint_by(tx, [worker])
    text, end = files[args.path], args.offset + PART
    return Contents(
        worker=worker.name,
        path=args.path,
        text=text[args.offset : end],
        files=sorted(files),
        next=end if end < len(text) else None,
    )


@verb(
    "worker.metadata",
    "read",
    for_=STAFF,
    touches=Touch("worker", "worker", agent="led"),
    past=False,
    examples=[{"worker": EXAMPLE}],
)
async def metadata(tx: Tx, args: WorkerMetadataArgs) -> Result:
    """What the system knows of a worker: task, status, times, model, who spawned it."""
    worker = await found(tx, args.worker)
    await taint_by(tx, [worker])
    return Result.model_validate(
        record.metadata(worker, await tx.rows(SQL["steps"], {"id": worker.id}, into=WorkerStepRow))
    )


class WorkerGrepArgs(Args):
    """For what."""

    pattern: str = first(min_length=1, max_length=200)
    """A regular expression; upper and lower case are the same."""
    limit: int = Field(50, ge=1, le=200)
    """How many lines at most."""


class FoundLine(TypedDict):
    """A line in what a worker left."""

    worker: str
    file: str
    line: int
    text: str


@verb("worker.grep", "read", for_=STAFF, past=False, examples=[{"pattern": "backup"}])
async def grep(tx: Tx, args: WorkerGrepArgs) -> Listing[FoundLine]:
    """Lines in what workers found that match a pattern: in every result, and in what tools told while that is kept."""
    since = tx.now - timedelta(days=tx.use(Artifacts).keep_days)
    await tx.conn.execute(SQL["impatient"])
    try:
        rows = await tx.rows(
            SQL["grep"],
            {"pattern": args.pattern, "since": since, "limit": args.limit, "sees": await tx.seen_agents()},
            into=GrepHitRow,
        )
    except errors.InvalidRegularExpression as error:
        raise Refused.invalid(f"pattern: {error.diag.message_primary}") from error
    workers = {row.id for row in rows}
    tx.taint |= await marks_of(tx, list(workers))
    return Listing[FoundLine](
        items=[
            {
                "worker": row.name,
                "file": f"tool_calls/{row.call:03d}" if row.call else record.RESULT,
                "line": row.number,
                "text": row.line,
            }
            for row in rows
        ]
    )


VERBS = (list_, read, grep, metadata)
