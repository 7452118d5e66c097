"""The artifact directory: what journals say of workers, as files that a person or a shell can look at (001 §6.2).

    <home>/companies/<company>/workers/index.json
    <home>/companies/<company>/workers/<worker>/{metadata.json,result.txt,thread.jsonl,tool_calls/NNN_<tool>.txt}

The journal is the truth. Everything here is written whole or not at all, and can be made anew with `hq worker reindex`.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import shutil
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import structlog
from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from hq.database.queries import beside
from hq.database.rows import RowReader
from hq.sessions.workers import record
from hq.sessions.workers.record import ANY, Worker
from hq.sessions.workers.rows import WorkerRow, WorkerStepRow

SQL = beside(__file__)
PAGE, INDEXED = 200, 5_000
PAUSE = 1.0  # seconds between two indexes of one company
KEPT_FOR_EVER = (record.METADATA, record.RESULT)
log = structlog.get_logger("hq.artifacts")


@dataclass(frozen=True)
class Rebuilt:
    workers: int
    expired: int
    """Of how many only the result is left."""


@dataclass
class Artifacts:
    root: Path
    pool: AsyncConnectionPool[AsyncConnection[Any]]
    keep_days: int = 90
    """How long more than the result is kept."""
    _stale: set[UUID] = field(default_factory=set)
    _indexing: dict[UUID, asyncio.Task[None]] = field(default_factory=dict)
    _indexed_at: dict[UUID, float] = field(default_factory=dict)

    async def write(self, tenant: UUID, session: UUID) -> None:
        """A worker's directory as its journal has it now. That it cannot be written is no reason to fail: see reindex."""
        try:
            async with self._tenant(tenant) as look:
                worker, steps = await look.worker(session)
                place = self._place(look.company)
            await asyncio.to_thread(_write, place / worker.name, record.files(worker, steps))
        except (OSError, psycopg.Error, PoolTimeout) as error:
            log.warning("artifacts not written", session=str(session), error=str(error).strip())
            return
        self._stale.add(tenant)
        if tenant not in self._indexing or self._indexing[tenant].done():
            self._indexing[tenant] = asyncio.create_task(self._index(tenant))

    async def rebuild(self, tenant: UUID, now: datetime) -> Rebuilt:
        """Make the whole directory anew from the journals, without what is too old to be kept."""
        many = expired = 0
        before: UUID | None = None
        while True:
            async with self._tenant(tenant) as look:
                workers = await look.workers(before=before, limit=PAGE)
                place = self._place(look.company)
                found = [(worker, await look.steps(worker.id)) for worker in workers]
            for worker, steps in found:
                files = record.files(worker, steps)
                if self._expired(worker, now):
                    files = {path: text for path, text in files.items() if path in KEPT_FOR_EVER}
                    expired += 1
                await asyncio.to_thread(_write, place / worker.name, files, exactly=True)
            many += len(workers)
            if len(workers) < PAGE:
                break
            before = workers[-1].id
        await self._write_index(tenant)
        return Rebuilt(many, expired)

    async def expire(self, tenant: UUID, now: datetime) -> int:
        """Retention: of workers that ended long ago only the result stays. How many were cleared."""
        async with self._tenant(tenant) as look:
            place = self._place(look.company)
        return await asyncio.to_thread(_expire, place, now - timedelta(days=self.keep_days))

    async def flush(self) -> None:
        """Until every index is written."""
        await asyncio.gather(*self._indexing.values(), return_exceptions=True)

    def _place(self, company: str) -> Path:
        return self.root / company / "workers"

    def _expired(self, worker: Worker, now: datetime) -> bool:
        return worker.ended_at is not None and worker.ended_at < now - timedelta(days=self.keep_days)

    async def _index(self, tenant: UUID) -> None:
        """Many workers that end together share an index."""
        while tenant in self._stale:
            await asyncio.sleep(self._indexed_at.get(tenant, 0.0) + PAUSE - time.monotonic())
            self._stale.discard(tenant)
            self._indexed_at[tenant] = time.monotonic()
            try:
                await self._write_index(tenant)
            except (OSError, psycopg.Error, PoolTimeout) as error:
                log.warning("index not written", error=str(error).strip())

    async def _write_index(self, tenant: UUID) -> None:
        async with self._tenant(tenant) as look:
            workers = await look.workers(limit=INDEXED)
            place = self._place(look.company)
        await asyncio.to_thread(_write, place, {"index.json": record.index(workers)})

    @asynccontextmanager
    async def _tenant(self, tenant: UUID) -> AsyncIterator[_Look]:
        async with self.pool.connection() as conn, conn.transaction():
            await conn.execute(SQL["settle_in"], {"tenant": str(tenant)})
            look = _Look(conn)
            look.company = await look.the_scalar(SQL["tenant_slug"], of=str)
            yield look


class _Look(RowReader):
    """One company's workers, in a transaction of their own."""

    company: str

    async def worker(self, session: UUID) -> tuple[Worker, list[WorkerStepRow]]:
        (worker,) = await self.workers(ids=[session], limit=1)
        return worker, await self.steps(session)

    async def workers(self, **wanted: Any) -> list[Worker]:
        return [record.worker_of(row) for row in await self.rows(SQL["workers"], {**ANY, **wanted}, into=WorkerRow)]

    async def steps(self, session: UUID) -> list[WorkerStepRow]:
        return await self.rows(SQL["steps"], {"id": session}, into=WorkerStepRow)


def _write(place: Path, files: Mapping[str, str], *, exactly: bool = False) -> None:
    """Each file whole or not at all; a directory appears with everything in it. `exactly` removes what is not named."""
    if not place.exists():
        place.parent.mkdir(0o700, parents=True, exist_ok=True)
        fresh = place.with_name(f".{place.name}.{secrets.token_hex(4)}")
        _fill(fresh, files)
        try:
            fresh.rename(place)
            return
        except OSError:  # somebody else made it meanwhile
            shutil.rmtree(fresh)
    _fill(place, files)
    if exactly:
        for file in [file for file in place.rglob("*") if file.is_file()]:
            if str(file.relative_to(place)) not in files:
                file.unlink()
        _drop_empty(place)


def _fill(place: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        file = place / path
        file.parent.mkdir(0o700, parents=True, exist_ok=True)
        fresh = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as out:
            out.write(text)
        fresh.replace(file)


def _expire(place: Path, before: datetime) -> int:
    """By what the directory's own metadata says, so that it works wherever the files are."""
    cleared = 0
    for metadata in place.glob(f"[!.]*/{record.METADATA}"):
        ended = json.loads(metadata.read_text("utf-8")).get("completed_at")
        gone = [
            file
            for file in metadata.parent.rglob("*")
            if file.is_file() and str(file.relative_to(metadata.parent)) not in KEPT_FOR_EVER
        ]
        if ended and datetime.fromisoformat(ended) < before and gone:
            for file in gone:
                file.unlink()
            _drop_empty(metadata.parent)
            cleared += 1
    return cleared


def _drop_empty(place: Path) -> None:
    for directory in sorted((d for d in place.rglob("*") if d.is_dir()), reverse=True):
        if not any(directory.iterdir()):
            directory.rmdir()
