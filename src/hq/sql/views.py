"""Views, as `views.sql` holds them: `base.sql`, and for every type of the catalogue a view whose columns are its
properties.

`scripts/sql_views.py` writes the file.
"""

from __future__ import annotations

import textwrap
import types
import typing
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal
from uuid import UUID

from hq.graph.catalogue import Catalogue
from hq.graph.types import Node

BASE = Path(__file__).with_name("base.sql")
FILE = Path(__file__).with_name("views.sql")
NOTE = "-- Written by `scripts/sql_views.py` from base.sql and the catalogue; do not edit.\n\n"
RIGHTS = """grant select on all tables in schema hq to {reader};
revoke all on all functions in schema hq from public;
grant execute on all functions in schema hq to {reader};
"""
FIRST = ("id", "slug", "title")
LAST = ("tags", "owner_id", "external_source", "external_id", "valid_from", "valid_to", "created_at", "updated_at",
        "confidence", "taint", "version")  # fmt: skip
SQL_TYPES: dict[Any, str] = {
    bool: "boolean", int: "bigint", float: "double precision", Decimal: "numeric", datetime: "timestamptz",
    date: "date", UUID: "uuid",
}  # fmt: skip


def view(model: type[Node]) -> str:
    """What the type's list shows, one column for each property."""
    columns = textwrap.fill(", ".join(_columns(model)), 116, break_on_hyphens=False).replace("\n", "\n           ")
    return (
        f'create view hq."{model.type}" with (security_invoker = true) as\n    select {columns}\n'
        f"      from hq.nodes n\n     where n.type = '{model.type}' and n.live;\n"
    )


def _columns(model: type[Node]) -> Iterator[str]:
    own = model.model_fields
    for name in FIRST:
        yield _common(name, own, model.title_field)
    if model.numbered:
        yield _common("number", own)
    if model.moves:
        yield _common("status", own, model.state_field)
    projected = {"title"} & {model.title_field} | ({"status"} & {model.state_field} if model.moves else set())
    for name, info in own.items():
        if name not in projected:
            yield f'{_property(name, info.annotation)} as "{name}"'
    for name in LAST:
        yield _common(name, own)


def _common(name: str, own: typing.Container[str], projected: str = "") -> str:
    """A column every node has; where a property has its name, it steps aside."""
    return f"n.{name} as node_{name}" if name in own and name != projected else f"n.{name}"


def _property(name: str, annotation: Any) -> str:
    kind = _plain(annotation)
    if _is_text(kind):
        return f"n.props ->> '{name}'"
    if typing.get_origin(kind) in (list, tuple) and _is_text(_plain(typing.get_args(kind)[0])):
        return f"case jsonb_typeof(n.props -> '{name}') when 'array' then graph.texts(n.props -> '{name}') end"
    if kind in SQL_TYPES:
        return f"(n.props ->> '{name}')::{SQL_TYPES[kind]}"
    return f"n.props -> '{name}'"


def _is_text(kind: Any) -> bool:
    return kind is str or typing.get_origin(kind) is Literal


def _plain(annotation: Any) -> Any:
    """The type without what pydantic checks of it, and without `None`."""
    origin = typing.get_origin(annotation)
    if origin is typing.Annotated:
        return _plain(typing.get_args(annotation)[0])
    if origin in (typing.Union, types.UnionType):
        kinds = [kind for kind in typing.get_args(annotation) if kind is not type(None)]
        return _plain(kinds[0]) if len(kinds) == 1 else object
    return annotation


def written(catalogue: Catalogue) -> str:
    nodes = [model for _, model in sorted(catalogue.nodes.items())]
    return "\n".join([NOTE + BASE.read_text("utf-8"), *map(view, nodes), RIGHTS])
