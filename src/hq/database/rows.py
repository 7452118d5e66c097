"""Typed rows: what a query gives back becomes a frozen dataclass whose fields are its columns, by name and in order.

    @dataclass(frozen=True, slots=True)
    class LastRunRow:
        name: str
        started_at: datetime

    runs = await tx.rows(SQL["last_runs"], {…}, into=LastRunRow)

A field that is a model, or a list of one, takes a column of JSON: the row is made with the model. A frozenset takes an array.

`tests/database/test_rows.py` has Postgres describe every named query that is read so, and compares names and types.

The bootstrap and the migrator of this room, and `hq doctor`, read plain tuples: they work over a synchronous connection, one
value at a time, before the tables are there that the test would describe.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from types import UnionType
from typing import Any, LiteralString, TypeVar, Union, get_args, get_origin, get_type_hints

from psycopg import AsyncConnection
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGresult
from psycopg.rows import BaseRowFactory, RowMaker, no_result, scalar_row

R = TypeVar("R")
GIVING = (ExecStatus.TUPLES_OK, ExecStatus.SINGLE_TUPLE, ExecStatus.TUPLES_CHUNK)
"""What a result is that may have rows."""
QueryValues = Mapping[str, Any]
"""What a query is asked with, by the names of its parameters."""


@cache
def row_of(kind: type[R]) -> BaseRowFactory[R]:
    """A row factory for a dataclass. It takes columns by their place, once their names were compared."""
    make: Callable[[Sequence[Any]], R] = _maker(kind)

    def factory(cursor: Any) -> RowMaker[R]:
        if (result := cursor.pgresult) is None or result.status not in GIVING:
            return no_result
        check_columns(kind, result)
        return make

    return factory


def check_columns(kind: type[Any], result: PGresult) -> None:
    """A row is made by place, so its columns have to be the fields, in their order. Their names are compared as they came: a
    description of them by the driver cost a tenth of what a session does."""
    if (given := [result.fname(at) for at in range(result.nfields)]) != (named := _names(kind)):
        told = [b", ".join(name or b"?" for name in names).decode() for names in (given, named)]
        raise TypeError(f"the query gives {told[0]}; {kind.__name__} takes {told[1]}")


@cache
def _names(kind: type[Any]) -> list[bytes]:
    return [field.name.encode() for field in fields(kind)]


def _maker(kind: type[R]) -> Callable[[Sequence[Any]], R]:
    hints = get_type_hints(kind)
    readers = [(at, read) for at, field in enumerate(fields(kind)) if (read := _reader(hints[field.name]))]  # type: ignore[arg-type]

    def make(values: Sequence[Any]) -> R:
        return kind(*values)

    def make_with_models(values: Sequence[Any]) -> R:
        read_values = list(values)
        for at, read in readers:
            read_values[at] = read(read_values[at])
        return kind(*read_values)

    return make_with_models if readers else make


def _reader(hint: Any) -> Callable[[Any], Any] | None:
    """What makes a model of a column's JSON; nothing where the field takes it as it came."""
    if get_origin(hint) is frozenset:
        return frozenset
    if get_origin(hint) is list:
        each = _reader(get_args(hint)[0])
        return (lambda values: [each(value) for value in values]) if each else None
    kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    model = next((kind for kind in kinds if hasattr(kind, "model_validate")), None)
    return _model_reader(model) if model else None


def _model_reader(model: Any) -> Callable[[Any], Any]:
    known = model.model_fields if model.model_config.get("extra") == "forbid" else None

    def read(value: Any) -> Any:
        if value is None:
            return None
        if known is not None and not value.keys() <= known.keys():  # a property an older program knew
            value = {name: each for name, each in value.items() if name in known}
        return model.model_validate(value)

    return read


class RowReader:
    """Reads by queries: as rows of a dataclass, or as single values."""

    def __init__(self, conn: AsyncConnection[Any]) -> None:
        self.conn = conn

    async def rows(self, query: LiteralString, values: Any = None, *, into: type[R]) -> list[R]:
        """What the query finds, each as that dataclass."""
        async with self.conn.cursor(row_factory=row_of(into)) as cursor:
            await cursor.execute(query, values)
            return await cursor.fetchall()

    async def one(self, query: LiteralString, values: Any = None, *, into: type[R]) -> R | None:
        """The first, if any."""
        async with self.conn.cursor(row_factory=row_of(into)) as cursor:
            await cursor.execute(query, values)
            return await cursor.fetchone()

    async def the_one(self, query: LiteralString, values: Any = None, *, into: type[R]) -> R:
        """The first of a query that always finds one."""
        found = await self.one(query, values, into=into)
        if found is None:
            raise TypeError(f"nothing was found by a query that always finds something:\n{query}")
        return found

    async def scalars(self, query: LiteralString, values: Any = None, *, of: type[R]) -> list[R]:
        """What a query with one column finds."""
        async with self.conn.cursor(row_factory=scalar_row) as cursor:
            await cursor.execute(query, values)
            return await cursor.fetchall()

    async def scalar(self, query: LiteralString, values: Any = None, *, of: type[R]) -> R | None:
        """The first value of a query with one column, if any."""
        async with self.conn.cursor(row_factory=scalar_row) as cursor:
            await cursor.execute(query, values)
            return await cursor.fetchone()

    async def the_scalar(self, query: LiteralString, values: Any = None, *, of: type[R]) -> R:
        """The value of a query with one column that always has one."""
        found = await self.scalar(query, values, of=of)
        if found is None:
            raise TypeError(f"nothing was found by a query that always finds something:\n{query}")
        return found
