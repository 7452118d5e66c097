"""Queries described by Postgres: the columns each gives, without running it."""

from __future__ import annotations

import re
from dataclasses import dataclass

import psycopg
from psycopg.pq import ExecStatus

_PARAMETER = re.compile(r"%\((\w+)\)s|%s|%%")
_UNKNOWN = re.compile(r"could not determine data type of parameter \$(\d+)")
TEXT = 25


@dataclass(frozen=True)
class Column:
    name: str
    type: str
    nullable: bool
    """Of the table's column it is; nobody knows of an expression."""
    plain: bool = True
    """A table's column, not an expression."""


def described(conn: psycopg.Connection, query: str) -> tuple[Column, ...]:
    """What the query gives back. A parameter whose type nothing tells is taken for text."""
    numbers: dict[str, int] = {}
    count = 0

    def numbered(found: re.Match[str]) -> str:
        nonlocal count
        if found[0] == "%%":
            return "%"
        if found[1] is None:
            count += 1
            return f"${count}"
        return f"${numbers.setdefault(found[1], len(numbers) + 1)}"

    statement = _PARAMETER.sub(numbered, query).encode()
    oids = [0] * (count or len(numbers))
    while (made := conn.pgconn.prepare(b"", statement, oids)).status != ExecStatus.COMMAND_OK:
        unknown = _UNKNOWN.search(message := made.error_message.decode())
        if unknown is None:
            raise ValueError(f"{message}\n{query}")
        oids[int(unknown[1]) - 1] = TEXT
    found = conn.pgconn.describe_prepared(b"")
    columns = [
        ((found.fname(at) or b"").decode(), found.ftype(at), found.ftable(at), found.ftablecol(at))
        for at in range(found.nfields)
    ]
    return tuple(Column(name, *_facts(conn, *of)) for name, *of in columns)


def _facts(conn: psycopg.Connection, type_: int, table: int, number: int) -> tuple[str, bool, bool]:
    row = conn.execute(
        "select format_type(%s, null), (select not attnotnull from pg_attribute where attrelid = %s and attnum = %s)",
        (type_, table, number),
    ).fetchone()
    assert row is not None
    return row[0], bool(row[1]), row[1] is not None
