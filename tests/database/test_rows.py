"""Rows are typed at the border: Postgres tells what each named query gives, and the class that takes it agrees."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
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
from pydantic import BaseModel, ConfigDict

from hq.database.address import Address
from hq.database.rows import RowReader
from hq.graph.view import View
from tests.database.described import described

SRC = Path(__file__).parents[2] / "src"
METHODS = ("rows", "one", "the_one", "scalars", "scalar", "the_scalar")
COMPOSED: set[str] = set()
"""Modules that put a query together as they go, or hand one on: what it gives is compared when it is read."""
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
    """Every read in the tree, with its query and what it takes."""
    for file in sorted((SRC / "hq").rglob("*.py")):
        name = ".".join(file.relative_to(SRC).with_suffix("").parts)
        for call in ast.walk(ast.parse(file.read_text())):
            said = {word.arg: word.value for word in call.keywords} if isinstance(call, ast.Call) else {}
            takes = said.get("into") or said.get("of")
            if isinstance(call, ast.Call) and takes is not None and (at := _place(call.func)) is not None:
                known = vars(importlib.import_module(name))
                for query in _queries(call.args[at]):
                    where = f"{name}:{call.lineno}"
                    try:
                        text, kind = eval(query, known), eval(ast.unparse(takes), known)  # noqa: S307
                    except NameError:
                        COMPOSED.add(name)
                        continue
                    yield Read(where, text, kind, "of" in said)


def _place(function: ast.expr) -> int | None:
    """Where a call that reads has its query: a method's comes first, a function's behind what it reads by."""
    match function:
        case ast.Attribute(attr=name) if name in METHODS:
            return 0
        case ast.Name(id="found_by"):
            return 0
        case ast.Name(id="rows"):
            return 1
    return None


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
    if get_origin(annotation) in (list, frozenset):
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
    "PendingHireRow": {"status"},
    "SittingRow": {"position"},
    "ListedBeatRow": {"agent", "cron", "due_at"},
}
"""Columns that may be empty in their table and are not in this query."""


def test_there_are_typed_reads():
    assert len(READS) > 300


def test_few_put_a_query_together_as_they_go():
    assert {
        "hq.database.rows",
        "hq.engine.tenancy",
        "hq.graph.store",
        "hq.graph.view",
        "hq.jobs.job",
        "hq.jobs.run",
        "hq.messages.delivery",
    } == COMPOSED


def test_nobody_reads_but_into_a_row_of_a_kind():
    """A read says what it takes: there is no other, and nobody has a cursor of their own to read by."""
    for name in METHODS:
        taken = inspect.signature(getattr(RowReader, name)).parameters.values()
        assert any(each.name in ("into", "of") and each.default is each.empty for each in taken), name
    files = {str(file.relative_to(SRC / "hq")): file.read_text() for file in (SRC / "hq").rglob("*.py")}
    raw = {
        name for name, text in files.items() if re.search(r"\.fetch(one|all|many)\(|(namedtuple|dict|tuple)_row", text)
    }

    assert raw - {name for name in raw if name.startswith(("database/", "minds/scripts/"))} == {
        "cli/doctor.py",  # over a synchronous connection, where nothing else can be relied on
        "door/statements.py",  # of the last of several statements
        "graph/view.py",  # nodes, each made of its type's model
        "sql/reader_session.py",  # whatever somebody asks for
    }


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


class Told(BaseModel):
    model_config = ConfigDict(extra="forbid")

    said: str


@dataclass(frozen=True, slots=True)
class WithModels:
    one: Told
    many: list[Told]
    none: Told | None


async def test_a_column_of_json_becomes_the_model_that_its_field_is(shared):
    """Also one that an older program wrote, with a property that nobody knows any more."""
    query = """select '{"said": "a", "gone": 1}'::jsonb as one, '[{"said": "b"}]'::jsonb as many, null::jsonb as none"""
    async with await psycopg.AsyncConnection.connect(shared.app_url) as conn:
        found = await RowReader(conn).the_one(query, into=WithModels)

    assert found == WithModels(Told(said="a"), [Told(said="b")], None)


def test_the_graph_reads_rows_the_same_way():
    assert issubclass(View, RowReader)
