"""A worker process: claims sessions as they become ready and runs them side by side, until it is asked to leave."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from contextlib import suppress
from uuid import UUID

import psycopg
import structlog
from psycopg_pool import PoolTimeout

from hq.database.connection import ListeningConnection
from hq.engine.session_waker import WORK
from hq.engine.sessions.journal import Journal
from hq.engine.sessions.leases import Claimed, Leases
from hq.engine.sessions.places import FreePlaces, Places
from hq.sessions.loop.record import SessionEnded
from hq.sessions.loop.session import Session
from hq.sessions.session_host import SessionHost
from hq.sessions.workers.artifacts import Artifacts

SWEEP = 1.0
REST = 30.0
"""Seconds between looks while nobody works on anything: then there is nobody to take over from either."""
RESTS = "the worker rests"
"""What its log says then."""
PATIENCE = 10.0
"""Seconds that a session has to reach its next step once the process is to leave."""
UNWINDING = 3.0
"""Seconds that a session has to let go of what it was broken off in."""
log = structlog.get_logger("hq.worker")


class Runner:
    """`run()` works until `leave()`, which lets what is under way reach its next step and be handed back."""

    def __init__(self, company: SessionHost, url: str, leases: Leases, *, room: int = 16) -> None:
        self.company = company
        self.leases = leases
        self.places = Places(room)
        self.sessions: dict[UUID, Session] = {}
        self.ended: Callable[[Claimed, SessionEnded], None] = lambda claimed, ended: None
        self._url = url
        self._tasks: dict[asyncio.Task[None], Session] = {}
        self._news = asyncio.Event()
        """Something was queued, somebody finished, or it is time to leave."""
        self._leaving = False
        self._late: set[UUID] = set()
        """Sessions that others took over from here, as they were told."""

    async def run(self) -> None:
        beating = asyncio.create_task(self._beat())
        try:
            while not self._leaving:
                try:
                    await self._listen()
                except (psycopg.Error, PoolTimeout, OSError) as error:
                    log.warning("worker lost its connection", error=str(error).strip())
                    await asyncio.sleep(SWEEP)
            await self._hand_back()
        finally:
            beating.cancel()
            for task in self._tasks:
                task.cancel()

    def leave(self) -> None:
        """Take nothing more; what runs stops at its next step, or a little later where it is, and goes back into the
        queue."""
        self._leaving = True
        self._news.set()
        for session in self.sessions.values():
            session.signals.leave = True

    async def _hand_back(self) -> None:
        """What does not come to its next step in time is broken off. Whoever takes it up goes on from the journal, as
        after a crash, but at once and not only when the lease has run out."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=PATIENCE)
        if not (late := dict(self._tasks)):
            return
        for task in late:
            task.cancel()
        await asyncio.wait(late, timeout=UNWINDING)
        for session in late.values():
            log.info("session broken off", session=str(session.claimed.id))
            try:
                async with asyncio.timeout(UNWINDING):
                    await session.record.hand_back()
            except (psycopg.Error, PoolTimeout, TimeoutError) as error:
                log.warning("session left to its lease", session=str(session.claimed.id), error=str(error).strip())

    async def run_once(self) -> int:
        """Claim what there is room for and run it to its next rest. Returns how many sessions that were."""
        free = self._free()
        claimed = await self.leases.claim(free.founder, free)
        for each in claimed:
            self._start(each)
        if self._tasks:
            await asyncio.wait(self._tasks)
        return len(claimed)

    async def _listen(self) -> None:
        async with await ListeningConnection.connect(self._url, autocommit=True) as conn:
            await conn.execute(f"listen {WORK}")
            async with conn.telling(self._news.set) as listening:
                while not self._leaving and not listening.done():
                    self._news.clear()
                    await self._claim()
                    await self._until_news()

    async def _claim(self) -> None:
        while (free := self._free()).founder:
            claimed = await self.leases.claim(free.founder, free)
            for each in claimed:
                self._start(each)
            if len(claimed) < free.founder:
                return

    def _free(self) -> FreePlaces:
        return self.places.free([session.claimed.urgency for session in self._tasks.values()])

    async def _until_news(self) -> None:
        """Or until it is time to look whether somebody fell silent; while this one is full, that is of no use."""
        sweep = None
        if self._free().founder:
            sweep = SWEEP if self._tasks or await self.leases.others_at_work() else REST
        if sweep == REST:
            log.debug(RESTS)
        with suppress(TimeoutError):
            async with asyncio.timeout(sweep):
                await self._news.wait()

    def _start(self, claimed: Claimed) -> None:
        door = self.company.door
        journal = Journal(door.pool, claimed, door.clock, door.followers)
        session = self.sessions[claimed.id] = Session(self.company, claimed, journal)
        session.signals.leave = self._leaving
        task = asyncio.create_task(self._work(session))
        self._tasks[task] = session
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        del self._tasks[task]
        self._news.set()  # somebody may have waited for this place, also one that was free while a claim was under way

    async def _work(self, session: Session) -> None:
        claimed = session.claimed
        ended: SessionEnded | None = None
        try:
            ended = await session.run()
            if claimed.kind == "worker" and ended.state != "fenced":
                await self.company.door.services[Artifacts].write(claimed.tenant_id, claimed.id)
            self.ended(claimed, ended)
        except (psycopg.Error, PoolTimeout) as error:
            # The lease runs out by itself, and whoever claims it then goes on from the journal.
            log.warning("session left to its lease", session=str(claimed.id), error=str(error).strip())
        except Exception:
            log.exception("session broke", session=str(claimed.id))
        finally:
            if ended is None or ended.state == "fenced":
                await self._outlive([claimed.id])
            self._late.discard(claimed.id)
            self.sessions.pop(claimed.id, None)

    async def _outlive(self, gone: Collection[UUID]) -> None:
        """What others took over while this process stood still was not what ended it; each is said once."""
        if not (late := [id for id in gone if id not in self._late]):
            return
        with suppress(psycopg.Error, PoolTimeout):
            self._late |= await self.leases.outlive(late)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(self.leases.beat)
            if not self.sessions:
                continue
            try:
                ours = await self.leases.keep(self.sessions)
            except (psycopg.Error, PoolTimeout):
                continue
            for id, session in list(self.sessions.items()):
                if why := ours.get(id):
                    session.halt(why)
            await self._outlive(self.sessions.keys() - ours.keys())
