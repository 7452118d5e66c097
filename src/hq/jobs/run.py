"""A run of a job in one company: what its handler works with, and how what came of it is written down."""

from __future__ import annotations

import time
from asyncio import timeout
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, LiteralString, TypeVar
from uuid import UUID

import psycopg
import structlog
from psycopg.types.json import Jsonb
from psycopg_pool import PoolTimeout

from hq.database.queries import beside
from hq.database.rows import QueryValues
from hq.door.door import Door
from hq.door.outcome import Outcome
from hq.engine.house import House
from hq.engine.tenancy import inside
from hq.errors import HqError, Outage
from hq.ids import new_id
from hq.jobs.job import Job, JobDue, JobResult, JobRow
from hq.jobs.rows import BoardRow
from hq.json_types import CallArgs

SQL = beside(__file__)
BY_HAND = "by hand"
LONGEST = 2000
log = structlog.get_logger("hq.jobs")
S = TypeVar("S")
R = TypeVar("R")


class JobFailed(Exception):
    """A run could not do what it was for; the message says why."""


@dataclass
class JobRun:
    """One run: for a company, of an occurrence or of something that was found due."""

    door: Door
    job: Job
    name: str
    """Of the job, or of the row where it has one."""
    cause: str
    """What set it off."""
    found: JobDue
    due: datetime | None = None
    """The occurrence it is for, if it runs by the clock."""
    row: BoardRow | JobRow | None = None
    """What is kept of one that has a row."""
    action: UUID | None = None
    """The call that asked for it, by hand."""
    memory: dict[str, object] = field(default_factory=dict)
    """What this process remembers of the job in this company; it may be gone at any time."""
    nonce: UUID = field(default_factory=new_id)
    again: float | None = None
    """Seconds until it is to be looked at once more, though nothing was announced."""

    @property
    def tenant(self) -> UUID:
        return self.found.tenant

    @property
    def now(self) -> datetime:
        return self.door.clock.now()

    @property
    def by_hand(self) -> bool:
        return self.cause == BY_HAND

    @property
    def key(self) -> str:
        """For the calls it makes: whoever repeats the run after a crash makes none of them twice."""
        which = self.due.isoformat() if self.due else self.action or self.nonce
        return f"job:{self.name}:{which}"

    @property
    def own_row(self) -> BoardRow | JobRow:
        """What is kept of it; every run of a job with its own time has that."""
        if self.row is None:
            raise TypeError(f"{self.name} has no row of its own")
        return self.row

    @property
    def last_at(self) -> datetime | None:
        """When it ran last by the clock."""
        return self.row.last_at if self.row is not None else None

    def use(self, service: type[S]) -> S:
        return self.door.services[service]

    async def call(
        self,
        verb: str,
        args: CallArgs,
        key: str | None = None,
        *,
        agent: str | None = None,
        taint: frozenset[str] = frozenset(),
    ) -> Outcome:
        """A call as the house, or as an agent it acts for. A refusal is logged, not raised: there may be more to do."""
        outcome = await self.use(House).call(self.tenant, verb, args, key, agent=agent, taint=taint)
        if not outcome.ok:
            log.warning("refused", job=self.name, verb=verb, tenant=str(self.tenant), error=outcome.error)
        return outcome

    async def must(self, verb: str, args: CallArgs, key: str | None = None) -> Any:
        """A call without which the run has failed; its data."""
        outcome = await self.use(House).call(self.tenant, verb, args, key)
        if not outcome.ok:
            raise JobFailed(outcome.message)
        return outcome.data

    async def rows(self, query: LiteralString, values: QueryValues | None = None, *, into: type[R]) -> list[R]:
        """A question to this company's rows."""
        async with inside(self.door.pool, self.tenant) as reader:
            return await reader.rows(query, values, into=into)

    async def scalars(self, query: LiteralString, values: QueryValues | None = None, *, of: type[R]) -> list[R]:
        """A question with one column."""
        async with inside(self.door.pool, self.tenant) as reader:
            return await reader.scalars(query, values, of=of)

    async def write(self, query: LiteralString, **values: Any) -> None:
        """A change of this company's rows that gives nothing back."""
        async with inside(self.door.pool, self.tenant) as reader:
            await reader.conn.execute(query, values)


@dataclass(frozen=True)
class Ran:
    """What became of a run."""

    result: JobResult | None = None
    error: str | None = None
    passing: bool = False
    """It failed for a reason that may be over in a moment."""


async def carried_out(run: JobRun, *, failed_before: bool = False) -> Ran:
    """Let the handler work, within its time, and write down what it did or why it failed. Doing nothing writes nothing,
    unless somebody asked for it by hand, or it failed the last time."""
    started, begun = run.now, time.monotonic()
    ran = await _handled(run)
    if ran.result is None and ran.error is None and not run.by_hand and not failed_before:
        return ran
    try:
        about = {"job": run.name, "item": run.found.item}
        news = ran.error is not None and not await run.scalars(SQL["failing"], about, of=int)
        await note(run, ran, started, round(1000 * (time.monotonic() - begun)))
        if news:
            await _report(run, ran.error)
    except (psycopg.Error, PoolTimeout) as error:
        log.warning("a run could not be written down", job=run.name, error=str(error).strip())
    return ran


async def _handled(run: JobRun) -> Ran:
    try:
        async with timeout(run.job.timeout):
            return Ran(await run.job.work(run))
    except JobFailed as error:
        return Ran(error=str(error)[:LONGEST])
    except TimeoutError:
        return Ran(error=f"it did not end within {run.job.timeout:g} seconds")
    except HqError as error:
        return Ran(error=error.message[:LONGEST], passing=isinstance(error, Outage))
    except (psycopg.OperationalError, PoolTimeout) as error:
        return Ran(error=f"the database does not answer: {str(error).strip()}"[:LONGEST], passing=True)
    except Exception as error:
        log.exception("a job broke", job=run.name)
        return Ran(error=f"something went wrong inside hq ({type(error).__name__}); `hq logs` has it")


async def note(run: JobRun, ran: Ran, started: datetime, milliseconds: int) -> None:
    did = ran.result
    await run.write(
        SQL["note"],
        id=new_id(),
        job=run.name,
        item=run.found.item,
        cause=run.cause,
        due=run.due,
        started=started,
        duration=milliseconds,
        status="failed" if ran.error else "done" if did else "nothing",
        did=did.did[:LONGEST] if did else None,
        result=Jsonb(did.result) if did and did.result is not None else None,
        error=ran.error,
        tokens=did.tokens if did else None,
        cost=did.cost_usd if did else None,
        session=did.session if did else None,
        action=run.action,
    )


async def _report(run: JobRun, why: str | None) -> None:
    """Said once, when it begins to fail; not again until it has worked in between."""
    log.warning("a job failed", job=run.name, tenant=str(run.tenant), error=why)
    about = {"about": run.found.item} if run.found.item else {}
    await run.call("job.report", {"job": run.name, "why": why, "cause": run.cause, **about})
