"""Rows are typed at the border: Postgres tells what each named query gives, and the class that takes it agrees."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints
from uuid import UUID

import psycopg
import pytest

from hq.database.address import Address
from hq.database.rows import RowReader
from hq.graph.view import View
from tests.database.described import described

SRC = Path(__file__).parents[2] / "src"
INTO, OF = ("rows", "one", "the_one"), ("scalars", "scalar", "the_scalar")
TYPES = {
    str: ("text", "name", "character varying", "uuid"),
    int: ("bigint", "integer", "smallint"),
    float: ("double precision", "real"),
    bool: ("boolean",),
    UUID: ("uuid",),
    datetime: ("timestamp with time zone",),
    date: ("date",),
    time: ("time without time zone",),
    timedelta: ("interval",),
    Decimal: ("numeric",),
    bytes: ("bytea",),
}


class Read(NamedTuple):
    where: str
    query: str
    takes: type
    single: bool


def _reads() -> Iterator[Read]:
    """Every read in the tree that says what it takes, with its query."""
    for file in sorted((SRC / "hq").rglob("*.py")):
        text = file.read_text()
        if "into=" not in text and "of=" not in text:
            continue
        name = ".".join(file.relative_to(SRC).with_suffix("").parts)
        calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
        for call in calls:
            if isinstance(call.func, ast.Attribute) and call.func.attr in (*INTO, *OF):
                said = {word.arg: word.value for word in call.keywords}
                takes = said.get("into") or said.get("of")
                if takes is not None and name != RowReader.__module__:
                    known = vars(importlib.import_module(name))
                    kind = eval(ast.unparse(takes), known)  # noqa: S307
                    for query in _queries(call.args[0]):
                        yield Read(f"{name}:{call.lineno}", eval(query, known), kind, "of" in said)  # noqa: S307


def _queries(said: ast.expr) -> list[str]:
    """One, or either of two."""
    return [ast.unparse(each) for each in ((said.body, said.orelse) if isinstance(said, ast.IfExp) else (said,))]


READS = list(_reads())


@pytest.fixture(scope="module")
def conn(shared: Address) -> Iterator[psycopg.Connection]:
    with psycopg.connect(shared.url, autocommit=True) as conn:
        yield conn


def _fits(annotation: Any, column: str) -> bool:
    if column in ("jsonb", "json"):
        return True  # what is in it is for its reader to know
    if get_origin(annotation) in (Union, UnionType):
        return any(_fits(each, column) for each in get_args(annotation) if each is not NoneType)
    if get_origin(annotation) is Literal:
        return column == "text"
    if get_origin(annotation) is list:
        return column.endswith("[]") and _fits(get_args(annotation)[0], column.removesuffix("[]"))
    if annotation is list:
        return column.endswith("[]")
    return column in TYPES.get(annotation, ())


@pytest.mark.parametrize("read", READS, ids=[read.where for read in READS])
def test_a_read_takes_what_its_query_gives(read: Read, conn: psycopg.Connection):
    columns = described(conn, read.query)
    if read.single:
        assert len(columns) == 1 and _fits(read.takes, columns[0].type), columns
        return

    hints = get_type_hints(read.takes)
    assert [column.name for column in columns] == [field.name for field in fields(read.takes)]
    wrong = {c.name: (c.type, hints[c.name]) for c in columns if not _fits(hints[c.name], c.type)}
    assert not wrong
    certain = {c.name for c in columns if c.nullable and NoneType not in get_args(hints[c.name])}
    assert not certain - PROVEN.get(read.takes.__name__, set())


PROVEN: dict[str, set[str]] = {
    "UsableToolRow": {"approved"},
    "HouseListRow": {"asks"},
    "CompanyRow": {"name", "risk_tolerance"},
    "MissionBelowRow": {"status"},
    "SittingRow": {"position"},
    "ListedBeatRow": {"agent", "cron", "due_at"},
}
"""Columns that may be empty in their table and are not in this query."""


def test_there_are_typed_reads():
    assert len(READS) > 50


@dataclass(frozen=True, slots=True)
class Pair:
    a: int
    b: str


async def test_a_row_is_made_of_its_columns(shared):
    async with await psycopg.AsyncConnection.connect(shared.app_url) as conn:
        reader = RowReader(conn)

        assert await reader.rows("select 1 as a, 'x' as b", into=Pair) == [Pair(1, "x")]
        assert await reader.one("select 1 as a, 'x' as b where false", into=Pair) is None
        assert await reader.scalars("select generate_series(1, 3)", of=int) == [1, 2, 3]
        assert await reader.scalar("select 1 where false", of=int) is None
        with pytest.raises(TypeError, match="always finds"):
            await reader.the_one("select 1 as a, 'x' as b where false", into=Pair)


async def test_columns_in_another_order_are_refused_and_never_mixed_up(shared):
    async with await psycopg.AsyncConnection.connect(shared.app_url) as conn:
        with pytest.raises(TypeError, match="the query gives b, a; Pair takes a, b"):
            await RowReader(conn).rows("select 'x' as b, 1 as a", into=Pair)


def test_the_graph_reads_rows_the_same_way():
    assert issubclass(View, RowReader)
