"""Runs: have the supervisor do something and wait for what comes of it, in the founder's one thread (001 §5 and addendum)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from pydantic import Field

from hq.chat.read_position import shown_place
from hq.chat.rows import AskedRunRow, RunCostRow, RunRow
from hq.chat.run import SQL, ChatRun, Status, read_run
from hq.chat.run_events import lasted, outcome
from hq.chat.run_view import RunFollowOpened
from hq.door.access import FOUNDER, LEADERS, SESSION
from hq.door.json_shape import AsJson
from hq.door.results import Page, page
from hq.door.tx import Tx
from hq.door.verb import Args, Result, first, verb
from hq.engine.sessions.steps import RunRequest
from hq.errors import Refused
from hq.org.ceo_agent import ceo
from hq.sessions.thread import speak, thread_name
from hq.stream.cursor import Cursor

USUAL = 30
"""Seconds a run is said to take, before any did."""


@dataclass(frozen=True)
class RunLimits:
    """How long a run may work, in seconds; what it waits does not count."""

    timeout: int = 60


class RunStartArgs(Args):
    """What to do."""

    task: str = first(min_length=1, max_length=20_000)
    """What shall be done, or found out."""
    conversation: str | None = Field(None, max_length=200)
    """The name of the conversation it comes from, on a device of yours."""
    previous: list[str] = Field(default_factory=list, max_length=50)
    """What was said there before, each as `user: …` or `assistant: …`."""
    verbosity: Literal["concise", "normal", "detailed"] = "normal"
    """How long the answer should be."""
    notify: bool = False
    """Say so in `run.finished` when it is over, for whoever passes that on."""
    timeout: int | None = Field(None, ge=1, le=3600)
    """Seconds it may work; what it waits does not count. Left out, HQ_RUN_TIMEOUT."""


class RunStarted(Result):
    run_id: int
    thread_id: int
    status: Status
    estimated_duration_seconds: int
    stream_url: str
    session: str
    message: str


@verb(
    "run.start",
    "write",
    for_=FOUNDER,
    scope="founder",
    emits="run.started",
    examples=[{"task": "Check my server health"}],
)
async def start(tx: Tx, args: RunStartArgs) -> RunStarted:
    """Have the supervisor do something, in the founder's one thread; `hq run follow` tells how it goes."""
    timeout = args.timeout or tx.use(RunLimits).timeout
    run = RunRequest(
        id=tx.seq,
        timeout=timeout,
        notify=args.notify,
        verbosity=args.verbosity,
        previous=args.previous,
        conversation=args.conversation,
    )
    agent = await ceo(tx)
    shown = await shown_place(tx, thread_name(tx, agent), None)
    thread = await speak(tx, agent, args.task, run, shown=shown)
    number = await tx.the_scalar(SQL["thread_number"], {"name": thread_name(tx, agent)}, of=int)
    typical = await tx.scalar(SQL["typical_run"], of=float)
    return RunStarted(
        run_id=tx.seq,
        thread_id=number,
        status="running",
        estimated_duration_seconds=max(1, round(typical)) if typical is not None else USUAL,
        stream_url=f"/api/jarvis/supervisor/events?run_id={tx.seq}",
        session=thread.session,
        message=thread.id,
    )


class RunShowArgs(Args):
    """Which run."""

    run: int = first(ge=1)
    """Its number."""


class RunWorker(TypedDict):
    """A worker of a run."""

    worker_id: str
    task: str
    status: str
    duration_ms: int | None


class RunDetail(Result):
    run_id: int
    status: Status
    started_at: str
    """When it was taken up; until then, when it was asked for."""
    completed_at: str | None
    duration_ms: int | None
    result: str | None
    workers: AsJson[list[RunWorker]]
    thread_id: int
    tokens_used: int
    cost_usd: float | None
    """Nothing where a call has no price."""
    error: str | None = None


@verb("run.show", "read", for_=LEADERS, past=False, examples=[{"run": 456}])
async def show(tx: Tx, args: RunShowArgs) -> RunDetail:
    """What came of a run: its result, its workers, what it used."""
    run = await _found(tx, args.run)
    about = {"session": run.session, "steps": run.working, "workers": [w.id for w in run.workers]}
    used = await tx.the_one(SQL["run_cost"], about, into=RunCostRow)
    return RunDetail(
        run_id=run.id,
        status=run.status,
        started_at=_moment(run.begun_at or run.asked_at) or "",
        completed_at=_moment(run.ended_at),
        duration_ms=lasted(run.begun_at, run.ended_at),
        result=run.result or None,
        workers=[
            {
                "worker_id": worker.name,
                "task": worker.task,
                "status": outcome(worker),
                "duration_ms": lasted(worker.started_at, worker.ended_at),
            }
            for worker in run.workers
        ],
        thread_id=run.thread_id,
        tokens_used=int(used.tokens),
        cost_usd=float(used.cost) if used.cost is not None else None,
        error=None if run.status in ("running", "success") else run.trouble,
    )


class RunListArgs(Args):
    """Which runs."""

    limit: int = Field(20, ge=1, le=100)
    """How many at most."""
    after: str | None = Field(None, max_length=20, pattern=r"^\d+$")
    """The `next` of the page before."""


class RunItem(TypedDict):
    """A run in brief."""

    run_id: int
    task: str | None
    at: str


@verb("run.list", "read", for_=LEADERS, past=False, examples=[{}])
async def list_(tx: Tx, args: RunListArgs) -> Page[RunItem]:
    """What was asked for as a run, newest first."""
    rows = await tx.rows(
        SQL["runs"], {"before": int(args.after) if args.after else None, "limit": args.limit + 1}, into=RunRow
    )
    return page(
        rows, args.limit, lambda r: r.id, lambda r: {"run_id": r.id, "task": r.task, "at": r.created_at.isoformat()}
    )


class RunFollowArgs(RunShowArgs):
    after: str | None = Field(None, max_length=220)
    """The id of the last event that was seen; left out, from its beginning."""


@verb("run.follow", "stream", for_=LEADERS, past=False, examples=[{"run": 456}])
async def follow(tx: Tx, args: RunFollowArgs) -> RunFollowOpened:
    """Follow a run as it goes: what the supervisor does, its workers, and what came of it."""
    run = await _found(tx, args.run)
    told = Cursor.parse(args.after, "run") if args.after else None
    return RunFollowOpened(
        run_id=run.id,
        after=args.after,
        over=bool(told and told.end),
        events_after=str(await tx.the_scalar(SQL["settled"], of=int)),
        stream=f"/api/jarvis/supervisor/events?run_id={run.id}",
        tenant_id=tx.caller.tenant_id,
        credential=tx.caller.credential_id,
    )


class RunFinishArgs(RunShowArgs):
    """Which run, and how it ended."""

    status: Literal["success", "failed", "timeout"]
    """As the system saw it."""


class Finished(Result):
    id: int
    status: str
    notify: bool


@verb("run.finish", "write", for_=SESSION, internal=True, emits="run.finished", while_frozen=SESSION)
async def finish(tx: Tx, args: RunFinishArgs) -> Finished:
    """Say that a run is over, by the session that worked on it."""
    asked = await tx.one(SQL["asked_run"], {"id": args.run}, into=AskedRunRow)
    if asked is None or asked.session_id != tx.call.session_id:
        raise Refused.not_found(f"there is no run {args.run} of this session")
    return Finished(id=args.run, status=args.status, notify=asked.notify)


async def _found(tx: Tx, id: int) -> ChatRun:
    run = await read_run(tx, id)
    if run is None:
        raise Refused.not_found(f"there is no run {id}", hint="`hq run list` shows them")
    return run


def _moment(moment: Any) -> str | None:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}" if moment else None


VERBS = (start, show, list_, follow, finish)
