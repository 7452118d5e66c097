"""The Claude Agent SDK's session store: a `SessionStore` on Postgres, one company's rows each (002 §20.2).

It has the shape the SDK asks for and imports nothing of it; the SDK's own conformance suite is among the tests.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypedDict
from urllib.parse import quote, unquote
from uuid import UUID

from psycopg import AsyncConnection
from psycopg.types.json import Jsonb
from psycopg_pool import AsyncConnectionPool

from hq.clock import Clock
from hq.database.queries import beside
from hq.database.rows import RowReader
from hq.json_types import WireBody
from hq.sessions.rows import TranscriptKeyRow

SQL = beside(__file__, "claude_store.sql")
Key = Mapping[str, str]
"""`project_key`, `session_id`, and `subpath` for what lies below the main transcript."""
Entry = WireBody
Fold = Callable[[Any, Any, list[Any]], Any]
_ODD = re.compile("[\ue000\x00\ud800-\udfff]")
_ESCAPED = re.compile("\ue000([0-9a-f]{4})")


class StoredSession(TypedDict):
    """A session as the SDK lists it."""

    session_id: str
    mtime: int


class PostgresSessionStore:
    """`fold` is the SDK's `fold_session_summary`; without it there are no summaries to list."""

    def __init__(
        self, pool: AsyncConnectionPool[AsyncConnection[Any]], tenant: UUID, clock: Clock, fold: Fold | None = None
    ) -> None:
        self._pool = pool
        self._tenant = tenant
        self._clock = clock
        self._fold = fold

    async def append(self, key: Key, entries: list[Entry]) -> None:
        if entries:
            storable = Jsonb([_each_text(entry, _escape) for entry in entries])
            async with self._conn() as conn:
                await conn.execute(SQL["append"], {"key": _path(key), "entries": storable, "now": self._clock.now()})

    async def load(self, key: Key) -> list[Entry] | None:
        async with self._conn() as conn:
            kept = await RowReader(conn).scalars(SQL["load"], {"key": _path(key)}, of=list[Entry])
        entries = [_each_text(entry, _unescape) for appended in kept for entry in appended]
        return _once_each(entries) if kept else None

    async def list_sessions(self, project_key: str) -> list[StoredSession]:
        return [
            {"session_id": unquote(row.key.split("/")[1]), "mtime": row.mtime}
            for row in await self._below(quote(project_key, safe=""))
            if row.key.count("/") == 1
        ]

    async def list_session_summaries(self, project_key: str) -> list[Any]:
        if self._fold is None:
            raise NotImplementedError("made without `fold`")
        found = []
        for session in await self.list_sessions(project_key):
            key = {"project_key": project_key, "session_id": session["session_id"]}
            if entries := await self.load(key):
                found.append({**self._fold(None, key, entries), "mtime": session["mtime"]})
        return found

    async def list_subkeys(self, key: Key) -> list[str]:
        return [unquote(row.key.split("/")[2]) for row in await self._below(_path(_main(key)))]

    async def delete(self, key: Key) -> None:
        path = _path(key)
        async with self._conn() as conn:
            await conn.execute(SQL["delete"], {"key": path, **_range(path)})

    async def _below(self, path: str) -> list[TranscriptKeyRow]:
        async with self._conn() as conn:
            return await RowReader(conn).rows(SQL["keys"], _range(path), into=TranscriptKeyRow)

    @asynccontextmanager
    async def _conn(self) -> AsyncIterator[AsyncConnection[Any]]:
        async with self._pool.connection() as conn, conn.transaction():
            await conn.execute(SQL["settle_in"], {"tenant": str(self._tenant)})
            yield conn


def _path(key: Key) -> str:
    parts = [key["project_key"], key["session_id"], key.get("subpath") or ""]
    return "/".join(quote(part, safe="") for part in parts if part)


def _main(key: Key) -> Key:
    return {"project_key": key["project_key"], "session_id": key["session_id"]}


def _range(path: str) -> dict[str, str]:
    """Everything below a path: from its slash to the character after that."""
    return {"from_": f"{path}/", "upto": f"{path}0"}


def _once_each(entries: list[Entry]) -> list[Entry]:
    """An entry that was handed over twice counts once; those without a name of their own all count."""
    seen: set[str] = set()
    kept = []
    for entry in entries:
        if (name := entry.get("uuid")) is None or name not in seen:
            kept.append(entry)
            seen.update([name] if name is not None else [])
    return kept


def _each_text(value: Any, change: Callable[[str], str]) -> Any:
    """Postgres keeps neither NUL nor half a character; a transcript may hold both."""
    match value:
        case str():
            return change(value)
        case dict():
            return {change(key): _each_text(inner, change) for key, inner in value.items()}
        case list():
            return [_each_text(inner, change) for inner in value]
        case _:
            return value


def _escape(text: str) -> str:
    return _ODD.sub(lambda found: f"\ue000{ord(found[0]):04x}", text)


def _unescape(text: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
