"""The reader's session of a query: a role that sees nothing but views, of one company, of one moment, for a few
seconds.

The session is made for one query and closed after it, so nothing a query leaves behind reaches another.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, LiteralString, cast

import psycopg
from psycopg import AsyncConnection, AsyncRawCursor, errors
from psycopg.types.json import Jsonb

from hq.database.queries import beside
from hq.database.rows import RowReader
from hq.errors import HqError, Outage, Refused
from hq.graph.moment import AsOf
from hq.json_types import SqlRow

SQL = beside(__file__)
AT_ONCE = 4
GRACE = 2.0  # seconds the server has to end what is over its time, before we do
ROW_LIMIT = 1024 * 1024
SIZE_LIMIT = 8 * 1024 * 1024
DECLARE = "declare hq_query no scroll cursor for "


@dataclass(frozen=True)
class SqlQuestion:
    query: str
    params: Sequence[str | None]
    limit: int
    seconds: float
    explain: bool = False


@dataclass
class SqlTable:
    """Rows with the names and types of their columns; `cut` says why there are not more."""

    columns: list[dict[str, str]]
    rows: list[SqlRow] = field(default_factory=list)
    cut: str | None = None


@dataclass(frozen=True, slots=True)
class Admitted:
    """What a session of the reader's role needs to see what this call sees, and no more."""

    snapshot: str
    ticket: str


class SqlReader:
    """Runs queries as the reader's role. A few at once: each holds a connection and a snapshot while it runs."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._running = 0

    async def ask(
        self,
        conn: AsyncConnection[Any],
        question: SqlQuestion,
        now: datetime,
        as_of: AsOf | None,
        sight: dict[str, list[str]] | None = None,
    ) -> SqlTable:
        """Answer a question in the snapshot and for the tenant of `conn`, the call's own transaction. `sight` says whose
        things are seen, where that is not everybody's."""
        async with self._session(conn, question, now, as_of, sight) as session:
            try:
                async with asyncio.timeout(question.seconds + GRACE):
                    return await _answer(session, question)
            except TimeoutError:
                with suppress(psycopg.Error):
                    await session.cancel_safe(timeout=GRACE)
                raise _too_long(question) from None
            except psycopg.Error as error:
                raise _explained(error, question) from error

    @asynccontextmanager
    async def _session(
        self, conn: AsyncConnection[Any], question: SqlQuestion, now: datetime, as_of: AsOf | None, sight: Any
    ) -> AsyncIterator[AsyncConnection[Any]]:
        if self._running >= AT_ONCE:
            raise Outage(f"{AT_ONCE} SQL queries are running already; try again in a moment")
        self._running += 1
        session = None
        try:
            session = await AsyncConnection.connect(
                self._url, autocommit=True, cursor_factory=AsyncRawCursor, connect_timeout=10
            )
            await _open(session, conn, question, now, as_of, sight)
            yield session
        finally:
            self._running -= 1
            if session is not None:
                await session.close()


async def _open(
    session: AsyncConnection[Any],
    conn: AsyncConnection[Any],
    question: SqlQuestion,
    now: datetime,
    as_of: AsOf | None,
    sight: dict[str, list[str]] | None,
) -> None:
    reader = RowReader(session)
    backend = await reader.the_scalar("select pg_backend_pid()", of=int)
    values = {"backend": backend, "seconds": int(question.seconds + GRACE) + 1, "sight": sight and Jsonb(sight)}
    admitted = await RowReader(conn).the_one(SQL["admit"], values, into=Admitted)
    await session.execute("begin isolation level repeatable read read only")
    # Postgres takes no parameter here; what stands in it is what Postgres itself just said.
    await session.execute(cast(LiteralString, f"set transaction snapshot '{admitted.snapshot}'"))
    await session.execute(SQL["settle_in"], [admitted.ticket, f"{int(question.seconds * 1000)}ms", now.isoformat()])
    if as_of is None and await reader.the_scalar("select hq.unsettled()", of=bool):
        as_of = AsOf(now)  # a planned change came due with this very call, which has not ended yet
    if as_of is not None:
        known = ["" if as_of.upto is None else str(as_of.upto), "{" + ",".join(map(str, as_of.also)) + "}"]
        await session.execute(
            SQL["look_back"], [(as_of.true_at or now).isoformat(), as_of.known_at.isoformat(), *known]
        )


async def _answer(session: AsyncConnection[Any], question: SqlQuestion) -> SqlTable:
    if question.explain:
        lines = await _execute(session, question.query, question.params)
        return SqlTable([{"name": "plan", "type": "text"}], [{"plan": str(line[0])} for line in await lines.fetchall()])
    table = SqlTable(await _columns(session, question))
    size = 0
    async with session.cursor() as cursor:
        async for row, width in cursor.stream(_wrapped(question, len(table.columns)), question.params):
            size += width
            if len(table.rows) == question.limit:
                table.cut = f"only the first {question.limit} rows; --limit takes up to 100000"
                break
            if row is None or size > SIZE_LIMIT:
                what = f"a row is larger than {ROW_LIMIT} bytes" if row is None else f"they exceed {SIZE_LIMIT} bytes"
                table.cut = f"only the first {len(table.rows)} rows: {what}; ask for fewer columns or rows"
                break
            table.rows.append(dict(zip((c["name"] for c in table.columns), json.loads(row).values(), strict=True)))
    return table


async def _execute(session: AsyncConnection[Any], query: str, params: Sequence[str | None]) -> AsyncRawCursor[Any]:
    """What somebody wrote is prepared, so that it is one statement: without arguments a driver sends a text as it is, and the
    server takes from it as many as there are."""
    cursor = AsyncRawCursor(session)
    return await cursor.execute(cast(LiteralString, query), params, prepare=True)


async def _columns(session: AsyncConnection[Any], question: SqlQuestion) -> list[dict[str, str]]:
    """Names and types, found by opening the query as a cursor: so it is as Postgres reads it, and can only be a read."""
    await _execute(session, DECLARE + question.query, question.params)
    described = await session.execute("fetch 0 from hq_query")
    await session.execute("close hq_query")
    columns: list[dict[str, str]] = []
    for column in described.description or ():
        taken = {known["name"] for known in columns}
        name, number = column.name, 2
        while name in taken:
            name, number = f"{column.name}_{number}", number + 1
        columns.append({"name": name, "type": column.type_display})
    return columns


def _wrapped(question: SqlQuestion, columns: int) -> LiteralString:
    """Each row as JSON, so that Postgres says how a value is written; one that is too large never leaves the server."""
    names = ", ".join(f"c{number}" for number in range(columns))
    return cast(
        LiteralString,
        f"select case when octet_length(r) <= {ROW_LIMIT} then r end, octet_length(r) from"
        f" (select row_to_json(q)::text as r from (\n{question.query}\n) as q({names}) limit {question.limit + 1}) as x",
    )


def _explained(error: psycopg.Error, question: SqlQuestion) -> HqError:
    said = (error.diag.message_primary or str(error)).strip()
    match error:
        case errors.QueryCanceled():
            return _too_long(question)
        case errors.InsufficientPrivilege():
            return Refused.forbidden(
                f"{said}; a query sees the views of `hq sql schema` and nothing else", hint="`hq sql schema`"
            )
        case errors.ReadOnlySqlTransaction() | errors.FeatureNotSupported():
            return Refused.invalid(f"a query only reads: {said}")
        case errors.InsufficientResources() | errors.ProgramLimitExceeded():
            return Refused.invalid(f"the query needs more than the server gives: {said}")
    if error.sqlstate is None:
        return Outage("the database does not answer; try again in a moment")
    hint = error.diag.message_hint or ("`hq sql schema` lists views and columns" if _is_name(error) else "")
    return Refused.invalid(f"{said}{_place(error, question.query)}", hint=hint, sqlstate=error.sqlstate)


def _is_name(error: psycopg.Error) -> bool:
    return isinstance(error, errors.UndefinedTable | errors.UndefinedColumn | errors.UndefinedFunction)


def _place(error: psycopg.Error, query: str) -> str:
    """Where in the query: line and column, as the one who wrote it counts."""
    place = int(error.diag.statement_position or 0) - len(DECLARE)
    if not 0 < place <= len(query):
        return ""
    before = query[: place - 1]
    return f" (line {before.count(chr(10)) + 1}, column {place - before.rfind(chr(10)) - 1})"


def _too_long(question: SqlQuestion) -> Refused:
    return Refused.invalid(
        f"the query took longer than {question.seconds:g} s and was cancelled; narrow it, or give it more with --seconds"
    )
