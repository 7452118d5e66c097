"""Statements, several in one trip to the database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, LiteralString, TypeVar

import psycopg
from psycopg import AsyncClientCursor, AsyncConnection

from hq.database.rows import check_columns

R = TypeVar("R")


async def in_one_trip(conn: AsyncConnection[Any], query: LiteralString, values: Sequence[Any]) -> None:
    """Several statements in one message, with the values bound on our side: one trip, and less work than a pipeline."""
    async with AsyncClientCursor(conn) as cursor:
        await cursor.execute(query, values)


async def last_row(
    conn: AsyncConnection[Any], query: LiteralString, values: Sequence[Any], *, into: type[R]
) -> R | None:
    """Several statements in one message, and of the last one that gives any the first row."""
    async with AsyncClientCursor(conn) as cursor:
        await cursor.execute(query, values)
        row, result = None, None
        while True:
            if cursor.pgresult and cursor.pgresult.nfields:
                row, result = await cursor.fetchone(), cursor.pgresult
            if not cursor.nextset():
                break
    if row is None or result is None:
        return None
    check_columns(into, result)
    return into(*row)


async def roll_back(conn: AsyncConnection[Any]) -> None:
    try:
        await conn.execute("rollback")
    except psycopg.Error:
        await conn.close()
