"""A batch of reads as one: one look at who asks, one moment of the database, and one trip for all that is asked at
once.

Each read is checked, gated and recorded as if it had come alone. What is asked at the same time travels together, for the
connection is in pipeline mode: a page that asks for twenty lists waits for two answers, not for sixty.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Literal, TypedDict
from uuid import UUID

import psycopg
from psycopg.types.json import Jsonb
from psycopg_pool import PoolTimeout

from hq.door.arguments import args_hash, gist, parse, recorded_args
from hq.door.door import SQL, Door
from hq.door.driver_errors import translated
from hq.door.statements import in_one_trip
from hq.door.tx import Call, Tx
from hq.door.verb import Args, Verb
from hq.errors import Defect, HqError, Refused
from hq.graph.moment import parse_as_of
from hq.ids import new_id
from hq.json_types import CallArgs


@asynccontextmanager
async def reading(door: Door, token: str, trace_id: UUID | None = None) -> AsyncIterator[Reads]:
    """Reads by whoever holds the token, all of them of the same moment."""
    door.rate.check(token)
    call = Call("auth.whoami", {}, token, trace_id=trace_id or new_id())
    try:
        async with door.opened_to_read(call) as tx:
            reads = Reads(door, tx)
            try:
                async with tx.conn.pipeline():
                    try:
                        yield reads
                    finally:
                        await reads.settle()
            except HqError:
                await reads.record()
                raise
            await reads.record()
    except (psycopg.Error, PoolTimeout) as error:
        raise translated(error) from error


class ReadNote(TypedDict):
    """A read as the ledger gets it."""

    id: str
    verb: str
    kind: str
    target_kind: str | None
    target_id: str | None
    input: CallArgs | None
    output: Any
    status: Literal["ok", "refused", "failed"]
    error: str | None
    gate: str
    duration: float
    args: str | None
    taint: list[str]


class Reads:
    def __init__(self, door: Door, opened: Tx) -> None:
        self._door = door
        self._opened = opened
        self._rows: list[ReadNote] = []
        self._running: set[asyncio.Task[Any]] = set()
        self._over = False

    async def read(self, name: str, args: CallArgs, at: str | None = None, known_at: str | None = None) -> Any:
        """What a read answers. A refusal is raised, and recorded like an answer."""
        if self._over:
            raise asyncio.CancelledError  # somebody else among those who asked failed; nobody waits for this one
        task = asyncio.create_task(self._read(name, args, at, known_at))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return await asyncio.shield(task)  # a statement that was sent is read to its end, whoever still wants it

    async def settle(self) -> None:
        """Whatever was asked has come back: the connection belongs to somebody else after this."""
        self._over = True
        if self._running:
            await asyncio.wait(self._running)

    async def _read(self, name: str, values: CallArgs, at: str | None, known_at: str | None) -> Any:
        started, verb, args = time.perf_counter(), self._door.registry.get(name), None
        opened = self._opened
        tx = Tx(
            self._door,
            opened.conn,
            Call(name, values, opened.call.token, at=at, known_at=known_at, trace_id=opened.call.trace_id),
            opened.caller,
            opened.seq,
            new_id(),
            parse_as_of(at, known_at, opened.now),
        )
        tx.freezes = opened.freezes
        try:
            opened.caller.check(verb)
            args = parse(verb, values)
            if verb.changes or verb.emits:
                raise Defect(f"{name} is no read")
            if tx.as_of is not None and not verb.past:
                raise Refused.invalid(f"{name} has no view of the past; leave --at away")
            data = await self._door.answer(tx, verb, args)
        except HqError as error:
            self._note(tx, verb, args, None, started, error)
            raise
        self._note(tx, verb, args, data, started)
        return data

    def _note(
        self, tx: Tx, verb: Verb, args: Args | None, data: Any, started: float, error: HqError | None = None
    ) -> None:
        self._rows.append(
            {
                "id": str(tx.action_id),
                "verb": verb.name,
                "kind": verb.kind,
                "target_kind": tx.target.type if tx.target else None,
                "target_id": str(tx.target.id) if tx.target else None,
                "input": recorded_args(verb, args) if args else None,
                "output": error.as_dict() if error else gist(data),
                "status": "ok" if error is None else "refused" if isinstance(error, Refused) else "failed",
                "error": error.code.name if error else None,
                "gate": verb.gate,
                "duration": (time.perf_counter() - started) * 1000,
                "args": args_hash(verb, args).hex() if args else None,
                "taint": sorted(tx.taint),
            }
        )

    async def record(self) -> None:
        """Every read in the ledger, and the end of the transaction, in one message."""
        tx = self._opened
        tx.closed = True
        caller, trace_id = tx.caller, tx.call.trace_id
        await in_one_trip(
            tx.conn, SQL["close_reads"], [caller.principal_id, caller.credential_id, trace_id, Jsonb(self._rows)]
        )
