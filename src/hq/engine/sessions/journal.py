"""A session's journal: append-only, fenced, and all that is needed to go on after any crash."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from psycopg import AsyncConnection, errors
from psycopg.types.json import Jsonb
from psycopg_pool import AsyncConnectionPool

from hq.clock import Clock
from hq.database.queries import beside
from hq.database.rows import QueryValues, RowReader
from hq.door.waker import Waker
from hq.engine.sessions.leases import Claimed
from hq.engine.sessions.rows import KeptStepRow, TakenMessageRow
from hq.engine.sessions.steps import Kind, RunRequest, SessionWait, StepPayload, WaitStep, read_step

SQL = beside(__file__)
HELD_BY_ANOTHER = "HQ001"
P = TypeVar("P", bound=StepPayload)


class Fenced(Exception):
    """Another worker holds the session by now; whoever hears this drops it and writes nothing more."""


@dataclass(frozen=True)
class JournalStep:
    number: int
    payload: StepPayload
    action_id: UUID | None
    at: datetime

    @property
    def kind(self) -> Kind:
        return self.payload.kind


@dataclass(frozen=True)
class InboundMessage:
    """Something that was said to a session meanwhile."""

    id: UUID
    kind: str
    sender: str
    address: str
    body: str
    taint: Sequence[str]
    run: RunRequest | None = None


class Journal:
    """The journal of one claimed session."""

    def __init__(
        self,
        pool: AsyncConnectionPool[AsyncConnection[Any]],
        claimed: Claimed,
        clock: Clock,
        followers: Waker | None = None,
    ) -> None:
        self._pool = pool
        self._followers = followers
        """Told after each step and with new words."""
        self._claimed = claimed
        self._clock = clock
        self.last = claimed.step
        self.has_mail: bool | None = None
        """Whether something was said meanwhile, as the last step found it; unknown once that was looked after."""

    async def read(self) -> list[JournalStep]:
        """Everything so far that is not summed up; the next step comes after it."""
        if not self.last:
            return []
        values = {"tenant": self._claimed.tenant_id, "session": self._claimed.id}
        async with self._fenced() as conn:
            rows = await RowReader(conn).rows(SQL["steps_alone"], values, into=KeptStepRow)
        self.last = max((row.step for row in rows), default=0)
        return [_step(row) for row in rows]

    async def append(self, payload: StepPayload) -> int:
        async with self._fenced() as conn:
            told = await RowReader(conn).scalar(SQL["append"], self._step(payload), of=bool)
        self.written(told)
        self._tell()
        return self.last

    def written(self, has_mail: bool | None) -> None:
        """There is one more step, and what was found with it."""
        self.last += 1
        self.has_mail = has_mail

    async def park(self, payload: WaitStep, wait: SessionWait) -> str:
        """Write down what it waits for and lay it down. `queued` means that it happened already: go on."""
        async with self._tenant() as conn:
            await self._append(conn, payload)
            values = {"things": list(wait.things), "topics": list(wait.topics) or None, "since": wait.since}
            await conn.execute(SQL["park"], {"session": self._claimed.id, "wake_at": wait.until, **values})
        self.last += 1
        async with self._tenant() as conn:
            state = await RowReader(conn).the_scalar(SQL["let_go"], self._held(), of=str)
        self._tell()
        return state

    async def hear(self, compose: Callable[[Sequence[InboundMessage]], P]) -> P | None:
        """Take up what was said to this session or its agent meanwhile, as one step; nothing if nothing was."""
        told, self.has_mail = self.has_mail, None
        if not (await self._has_mail() if told is None else told):
            return None
        async with self._tenant() as conn:
            about = {**self._held(), "step": self.last + 1}
            rows = await RowReader(conn).rows(SQL["take_messages"], about, into=TakenMessageRow)
            if not rows:
                return None
            said = compose([_message(row) for row in rows])
            await self._append(conn, said)
        self.last += 1
        self._tell()
        return said

    async def _has_mail(self) -> bool:
        """One short question, before a turn that no step came before."""
        async with self._pool.connection() as conn:
            values = {"tenant": self._claimed.tenant_id, "session": self._claimed.id}
            return await RowReader(conn).the_scalar(SQL["has_mail"], values, of=bool)

    async def draft(self, body: str) -> None:
        """What the next step will say, as far as it is known: for whoever follows, and lost without harm."""
        values = {**self._held(), "step": self.last + 1, "body": body.replace("\0", "")}
        async with self._tenant() as conn:
            await conn.execute(SQL["draft"], values)
        self._tell()

    async def hand_back(self) -> None:
        async with self._tenant() as conn:
            await conn.execute(SQL["hand_back"], self._held())
        self._tell()

    def _tell(self) -> None:
        if self._followers is not None:
            self._followers.wake(self._claimed.id)

    async def _append(self, conn: AsyncConnection[Any], payload: StepPayload) -> None:
        await conn.execute(SQL["append"], self._step(payload))

    def _step(self, payload: StepPayload) -> QueryValues:
        said = {"kind": payload.kind, "payload": Jsonb(payload.as_json())}
        return {"tenant": self._claimed.tenant_id, **self._held(), "step": self.last + 1, **said}

    def _held(self) -> QueryValues:
        return {"session": self._claimed.id, "holder": self._claimed.holder, "now": self._clock.now()}

    @asynccontextmanager
    async def _tenant(self) -> AsyncIterator[AsyncConnection[Any]]:
        async with self._fenced() as conn, conn.transaction():
            await conn.execute(SQL["settle_in"], {"tenant": str(self._claimed.tenant_id)})
            yield conn

    @asynccontextmanager
    async def _fenced(self) -> AsyncIterator[AsyncConnection[Any]]:
        """A connection, on which what another's step was quicker than is told as that."""
        async with self._pool.connection() as conn:
            try:
                yield conn
            except errors.UniqueViolation as error:
                raise Fenced from error
            except errors.Error as error:
                if error.sqlstate == HELD_BY_ANOTHER:
                    raise Fenced from error
                raise


async def steps_of(reader: RowReader, session: UUID) -> list[JournalStep]:
    """What happened in any session so far, for who only reads it."""
    rows = await reader.rows(SQL["steps"], {"session": session}, into=KeptStepRow)
    return [_step(row) for row in rows]


def _step(row: KeptStepRow) -> JournalStep:
    return JournalStep(row.step, read_step(row.kind, row.payload), row.action_id, row.created_at)


def _message(row: TakenMessageRow) -> InboundMessage:
    return InboundMessage(row.id, row.kind, row.sender, row.address, row.body, row.taint, row.run)
