"""`hq sql`: questions in SQL, for power users and for agents that were given the scope."""

from __future__ import annotations

from typing import TypedDict

from pydantic import Field

from hq.database.queries import beside
from hq.door.access import EVERYONE
from hq.door.results import Listing
from hq.door.tx import Tx
from hq.door.verb import Args, Result, first, verb
from hq.errors import Refused
from hq.json_types import SqlRow
from hq.sql import query_validator
from hq.sql.reader_session import SqlQuestion, SqlReader
from hq.sql.rows import ViewColumnRow
from hq.suggestion import did_you_mean

SQL = beside(__file__)


class SqlQueryArgs(Args):
    """What to ask."""

    query: str = first(min_length=1, max_length=20_000)
    """One SELECT, WITH, VALUES, TABLE or EXPLAIN; `hq sql schema` lists the views."""
    params: list[str | int | float | bool | None] = Field(default_factory=list, max_length=100)
    """Values for $1, $2 and so on, in order."""
    limit: int = Field(1000, ge=1, le=100_000)
    """How many rows at most."""
    seconds: float = Field(10, gt=0, le=60)
    """How long it may take."""


class SqlRows(Result):
    items: list[SqlRow]
    columns: list[dict[str, str]]
    """Name and type of each column, in order."""
    note: str | None = None
    """Why there are not more rows, when there are more."""


@verb(
    "sql.query",
    "read",
    for_=EVERYONE,
    scope="sql",
    alias="sql",
    examples=[{"query": "select status, count(*) from task group by status order by status"}],
    text="hq.sql.query_text:answer",
)
async def query(tx: Tx, args: SqlQueryArgs) -> SqlRows:
    """Ask in SQL: read-only, over views of this company alone, as of any moment."""
    text = query_validator.check(args.query)
    if not tx.caller.in_person:
        tx.taint.update(await tx.scalars(SQL["marks"], of=str))
    question = SqlQuestion(
        text,
        [_text(value) for value in args.params],
        args.limit,
        args.seconds,
        query_validator.first_word(text) == "explain",
    )
    found = await tx.use(SqlReader).ask(tx.conn, question, tx.now, tx.as_of, await _sight(tx))
    return SqlRows(items=found.rows, columns=found.columns, note=found.cut)


async def _sight(tx: Tx) -> dict[str, list[str]] | None:
    """Whose things the views show, of which types that is asked and by which of their links; nothing for everything."""
    sight = await tx.sight()
    if sight is None:
        return None
    seen = {"principals": sight.principals, "producers": sight.producers, "parties": sight.parties}
    named = {name: list(map(str, ids)) for name, ids in seen.items()}
    return {**named, "private": tx.catalogue.private, "seen_by": tx.catalogue.seen_by}


def _text(value: str | float | bool | None) -> str | None:
    """As text: Postgres reads it as whatever type the query wants there."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else str(value)


class SqlSchemaArgs(Args):
    """Which view."""

    view: str | None = first(default=None, max_length=100)
    """Its columns; left out, every view."""


class ViewItem(TypedDict):
    """A view, with the names of its columns."""

    view: str
    columns: list[str]


class ViewColumn(TypedDict):
    """A column of a view."""

    column: str
    type: str


@verb("sql.schema", "read", for_=EVERYONE, scope="sql", past=False, examples=[{"view": "task"}])
async def schema(tx: Tx, args: SqlSchemaArgs) -> Listing[ViewItem | ViewColumn]:
    """The views of `hq sql`, or the columns of one with their types."""
    views: dict[str, list[ViewColumn]] = {}
    for row in await tx.rows(SQL["views"], into=ViewColumnRow):
        views.setdefault(row.view, []).append({"column": row.column, "type": row.type})
    if args.view is None:
        return Listing[ViewItem | ViewColumn](
            items=[{"view": n, "columns": [c["column"] for c in columns]} for n, columns in views.items()]
        )
    name = args.view.removeprefix("hq.")
    if name not in views:
        raise Refused.not_found(f"there is no view {name!r}{did_you_mean(name, views)}", hint="`hq sql schema`")
    return Listing[ViewItem | ViewColumn](items=list(views[name]))


VERBS = (query, schema)
