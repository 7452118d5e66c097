"""The runner: starts every job whose time has come or that news concern, side by side, under one leader.

It sleeps until the next occurrence, the next interval or news. A look that finds nothing writes nothing.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

import structlog

from hq.database.connection import ListeningConnection
from hq.door.door import Door
from hq.engine.duty import Duty
from hq.engine.tenancy import rows
from hq.jobs.cron import next_after
from hq.jobs.job import HOUSE_KIND, Job, JobDue, JobRegistry, every_company
from hq.jobs.rows import AnnouncedTopicRow, BoardRow
from hq.jobs.run import SQL, JobRun, Ran, carried_out

Slot = tuple[str, UUID, str | None]
"""What a run is for: the job or its row, the company, the thing."""
TRIES = 3
"""How often an occurrence is tried whose failure may be over in a moment."""
HELD = 2.0
"""Seconds until an occurrence that may not begin yet is looked at again."""
MORE = 1.0
"""Seconds until a job that did something is looked at again: there may be more than it does at once."""
BACKOFF, LONGEST_BACKOFF = 30.0, 1800.0
"""Seconds until what failed is tried again; doubled each time."""
log = structlog.get_logger("hq.jobs")


@dataclass
class Board:
    """What one look at the rows showed."""

    due: list[BoardRow] = field(default_factory=list)
    unset: list[BoardRow] = field(default_factory=list)
    paused: set[tuple[UUID, str]] = field(default_factory=set)
    frozen: set[UUID] = field(default_factory=set)
    next_at: datetime | None = None


class JobRunner(Duty):
    name = "jobs"
    lock = 0x68715F6F
    pause = 30.0

    def __init__(self, url: str, door: Door, only: Collection[str] | None = None, tenant: UUID | None = None) -> None:
        """Where told so, only some jobs or only one company."""
        super().__init__(url)
        self.door = door
        self._tenant = tenant
        self.jobs = [job for job in door.services[JobRegistry] if only is None or job.name in only]
        self._by_kind = {job.name: job for job in self.jobs if job.own_times}
        self._house = {job.name: job for job in self.jobs if not job.own_times}
        self._memory: dict[tuple[str, UUID], dict[str, object]] = defaultdict(dict)
        self._tasks: dict[asyncio.Task[Ran], Slot] = {}
        self._ended_runs: list[Ran] | None = None
        self._begin()

    def _begin(self) -> None:
        self._news = asyncio.Event()
        self._told = True
        self._line: int | None = None
        self._look_at = {job.name: 0.0 for job in self._house.values() if job.cron is None}
        """By job, in machine time: when it is looked at next though nothing is announced."""
        self._quiet_until: dict[str, float] = {}
        self._because: dict[str, str] = {}
        self._failures: Counter[Slot] = Counter()
        self._not_before: dict[Slot, float] = {}
        self._owed: set[Slot | str] = set()
        """What was found due while it was under way, or while its job had no room: looked at again when that is over."""

    async def lead(self, conn: ListeningConnection) -> None:
        self._begin()
        async with conn.telling(self._hear) as listening:
            while not listening.done():
                wait = await self.look()
                # `wait_for` would lose that it is called off, if news came together with that
                with suppress(TimeoutError):
                    async with asyncio.timeout(wait):
                        await self._news.wait()
                self._news.clear()

    def _hear(self) -> None:
        self._told = True
        self._news.set()

    async def run(self) -> None:
        try:
            await super().run()
        finally:
            await self._end(self._tasks)

    async def resign(self) -> None:
        """Another process may lead now: what is under way here ends, and is repeated there under the same key."""
        await self._end(task for task, (name, *_) in self._tasks.items() if not self._outlives(name))

    def _outlives(self, name: str) -> bool:
        return name in self._house and self._house[name].outlives

    async def _end(self, tasks: Iterable[asyncio.Task[Ran]]) -> None:
        ending = list(tasks)
        for task in ending:
            task.cancel()
        await asyncio.gather(*ending, return_exceptions=True)

    async def run_due(self) -> list[Ran]:
        """Everything that is due now, to its end, whatever set it off; for tests and for a process that works alone."""
        self._begin()
        self._ended_runs = list[Ran]()
        try:
            await self.look()
            while self._tasks:
                await asyncio.wait(self._tasks)
        finally:
            await self._end(self._tasks)
        return [ran for ran in self._ended_runs if ran.result or ran.error]

    async def look(self) -> float:
        """Start what is due. Returns for how many seconds nothing more will be."""
        now, moment = self.door.clock.now(), time.monotonic()
        board = await self._board(now)
        for row in board.unset:
            await self._set(row, now)
        waits = [self.pause]
        for row in board.due:
            if not await self._occurred(row, now):
                waits.append(HELD)
        if self._told or moment - self._looked_for_news >= self.pause:
            self._told, self._looked_for_news = False, moment
            await self._topics(moment)
        for job in [self._house[name] for name, at in self._look_at.items() if at <= moment]:
            await self._look_for(job, board, now, moment)
        waits += [max(0.0, at - moment) for at in self._look_at.values()]
        if board.next_at is not None:
            waits.append(max(0.0, (board.next_at - now).total_seconds()))
        if board.unset:
            waits.append(0.0)
        return min(waits)

    _looked_for_news = 0.0

    async def _board(self, now: datetime) -> Board:
        crons = {job.name: job.cron for job in self._house.values() if job.cron}
        values = {"now": now, "names": list(crons), "crons": list(crons.values())}
        board = Board()
        for row in await rows(self.door.pool, SQL["board"], values, into=BoardRow):
            if self._tenant not in (None, row.tenant_id):
                continue
            match row.what:
                case "due":
                    board.due.append(row)
                case "unset":
                    board.unset.append(row)
                case "paused":
                    board.paused.add((row.tenant_id, row.name))
                case "frozen":
                    board.frozen.add(row.tenant_id)
                case _:
                    board.next_at = row.next_at
        return board

    async def _set(self, row: BoardRow, now: datetime) -> None:
        """From now on, not for all the nights before; but from the last time on where there was one."""
        following = next_after(row.cron, row.last_at or now, row.zone) if row.cron else None
        run = self._run_of(self._house[row.name], JobDue(row.tenant_id), row.name, "")
        await run.write(SQL["put"], name=row.name, cron=row.cron, zone=row.zone, next=following)

    async def _topics(self, moment: float) -> None:
        """Which jobs what was announced since the last look is about. A new leader looks at all of them."""
        after = {"line": 2**62 if self._line is None else self._line}
        found = await rows(self.door.pool, SQL["topics"], after, into=AnnouncedTopicRow)
        self._line = found[0].line
        topics = {row.topic for row in found if row.topic}
        for job in self._house.values():
            if (wanted := job.topic) and (about := next(filter(wanted.match, topics), None)):
                self._because[job.name] = about
                self._look_at[job.name] = min(
                    self._look_at.get(job.name, moment), max(moment, self._quiet_until.get(job.name, 0.0))
                )

    async def _look_for(self, job: Job, board: Board, now: datetime, moment: float) -> None:
        # On a grid, so that those with the same interval are looked at together.
        every = job.every or self.pause
        self._look_at[job.name] = (moment // every + 1) * every
        if job.topic:
            self._quiet_until[job.name] = moment + job.topic.pause
        cause = self._because.pop(job.name, None) or (f"every {job.every:g} s" if job.every else "sweep")
        for found in await (job.due or every_company)(self.door, now):
            if self._tenant not in (None, found.tenant):
                continue
            if found.at is not None and found.at > now:
                self._sooner(job.name, moment + (found.at - now).total_seconds())
            elif (found.tenant, job.name) in board.paused:
                continue
            elif job.while_frozen or found.tenant not in board.frozen:
                self._start(self._run_of(job, found, job.name, cause))

    def _sooner(self, name: str, at: float) -> None:
        self._look_at[name] = min(at, self._look_at.get(name, at))

    async def _occurred(self, row: BoardRow, now: datetime) -> bool:
        """An occurrence: taken first, so that nobody else starts it. False where it may not begin yet."""
        job = self._house.get(row.name) if row.kind == HOUSE_KIND else self._by_kind.get(row.kind)
        slot = (row.name, row.tenant_id, None)
        if job is None or slot in self._tasks.values() or self._not_before.get(slot, 0.0) > time.monotonic():
            return job is None or slot in self._tasks.values()
        run = self._run_of(job, JobDue(row.tenant_id), row.name, str(row.cron or "moment"), row)
        if row.taken is not None:  # whoever took it never ended it
            run.due = row.taken
            return self._start(run)
        if job.ready is not None and not await job.ready(run):
            return False
        following = next_after(row.cron, now, row.zone) if row.cron else None
        if await run.scalars(SQL["take"], {"name": row.name, "due": row.next_at, "next": following}, of=str):
            run.due = row.next_at
            return self._start(run)
        return True

    def _run_of(self, job: Job, found: JobDue, name: str, cause: str, row: BoardRow | None = None) -> JobRun:
        memory = self._memory[job.name, found.tenant]
        return JobRun(self.door, job, name, cause, found, row=row, memory=memory)

    def _start(self, run: JobRun) -> bool:
        """Beside everything else. False where there is no room for it now."""
        slot: Slot = (run.name, run.tenant, run.found.item)
        under_way = list(self._tasks.values())
        if self._not_before.get(slot, 0.0) > time.monotonic():
            return False
        if under_way.count(slot) >= run.job.overlap:
            self._owed.add(slot)
            return False
        if sum(name == run.name for name, *_ in under_way) >= run.job.together:
            self._owed.add(run.name)
            return False
        task = asyncio.create_task(self._carried_out(run, slot))
        self._tasks[task] = slot
        task.add_done_callback(self._done)
        return True

    def _done(self, task: asyncio.Task[Ran]) -> None:
        slot = self._tasks.pop(task, None)
        if slot and slot[0] in self._house and self._owed & {slot, slot[0]}:
            self._owed -= {slot, slot[0]}
            self._sooner(slot[0], time.monotonic())
            self._news.set()
        if not task.cancelled() and (error := task.exception()):
            log.error("a run broke", error=repr(error))

    async def _carried_out(self, run: JobRun, slot: Slot) -> Ran:
        ran = await carried_out(run, failed_before=slot in self._failures)
        moment = time.monotonic()
        if ran.error:
            self._failures[slot] += 1
            wait = min(BACKOFF * 2 ** (self._failures[slot] - 1), LONGEST_BACKOFF)
            self._not_before[slot] = moment + wait
            if run.job.name in self._look_at:
                self._sooner(run.job.name, moment + wait)
        else:
            self._failures.pop(slot, None)
            self._not_before.pop(slot, None)
            if ran.result and run.job.name in self._look_at:  # there may be more of it
                self._sooner(run.job.name, max(moment + MORE, self._quiet_until.get(run.job.name, 0.0)))
        if run.again is not None and run.job.name in self._look_at:
            self._sooner(run.job.name, moment + run.again)
        if run.due is not None:
            await self._ended(run, ran)
        if ran.result or ran.error or run.due or run.again:
            self._news.set()
        if self._ended_runs is not None:
            self._ended_runs.append(ran)
        return ran

    async def _ended(self, run: JobRun, ran: Ran) -> None:
        """The occurrence is over, also where it failed; only what may be over in a moment is tried again, so often."""
        if ran.passing and run.row is not None and run.row.tries + 1 < TRIES:
            await run.write(SQL["tried"], name=run.name, due=run.due)
            return
        await run.write(SQL["ended"], name=run.name, due=run.due, now=run.now, did=ran.result is not None)
        await run.write(SQL["over"], name=run.name)


def done(ran: Iterable[Ran]) -> int:
    """How much runs did, all together."""
    return sum(each.result.many for each in ran if each.result)
