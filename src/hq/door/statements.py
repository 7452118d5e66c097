"""Statements, several in one trip to the database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, LiteralString, NamedTuple, TypeVar

import psycopg
from psycopg import AsyncClientCursor, AsyncConnection
from psycopg.pq.abc import PGresult

from hq.database.rows import check_columns

R = TypeVar("R")


class FirstRow(NamedTuple):
    """What a statement gave first, and what its columns are."""

    values: tuple[Any, ...]
    result: PGresult

    def into(self, kind: type[R]) -> R:
        check_columns(kind, self.result)
        return kind(*self.values)


async def in_one_trip(conn: AsyncConnection[Any], query: LiteralString, values: Sequence[Any]) -> list[FirstRow]:
    """Several statements in one message, with the values bound on our side: one trip, and less work than a pipeline.
    Of each that gives any rows the first."""
    found: list[FirstRow] = []
    async with AsyncClientCursor(conn) as cursor:
        await cursor.execute(query, values)
        while True:
            if (result := cursor.pgresult) and result.nfields and (row := await cursor.fetchone()) is not None:
                found.append(FirstRow(row, result))
            if not cursor.nextset():
                return found


async def roll_back(conn: AsyncConnection[Any]) -> None:
    try:
        await conn.execute("rollback")
    except psycopg.Error:
        await conn.close()
