"""Statements, several in one trip to the database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, LiteralString

import psycopg
from psycopg import AsyncClientCursor, AsyncConnection
from psycopg.rows import namedtuple_row


async def last_row(conn: AsyncConnection[Any], query: LiteralString, values: Sequence[Any]) -> Any:
    """Several statements in one message, with the values bound on our side: one trip, and less work than a pipeline.

    Gives the first row of the last statement that has any.
    """
    async with AsyncClientCursor(conn, row_factory=namedtuple_row) as cursor:
        await cursor.execute(query, values)
        row = None
        while True:
            if cursor.pgresult and cursor.pgresult.nfields:
                row = await cursor.fetchone()
            if not cursor.nextset():
                return row


async def roll_back(conn: AsyncConnection[Any]) -> None:
    try:
        await conn.execute("rollback")
    except psycopg.Error:
        await conn.close()
