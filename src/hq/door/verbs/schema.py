"""The schema: node types, edge types and verbs, as flat JSON Schemas."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from hq.door.access import EVERYONE
from hq.door.results import Listing
from hq.door.tx import Tx
from hq.door.verb import Args, Result, Verb, first, verb
from hq.errors import Refused
from hq.graph.catalogue import flat_schema
from hq.suggestion import did_you_mean

Part = Literal["node", "edge", "verb"]


class SchemaListArgs(Args):
    """Which part."""

    kind: Part | None = None
    """Only nodes, edges or verbs."""


@verb("schema.list", "read", for_=EVERYONE, past=False, examples=[{"kind": "node"}])
async def list_(tx: Tx, args: SchemaListArgs) -> Listing:
    """Every node type, edge type and verb, one line each."""
    items = [
        {
            "schema": name,
            "says": schema.get("description", "").strip().splitlines()[0] if schema.get("description") else "",
        }
        for name, schema in _all(tx)
        if args.kind is None or name.startswith(args.kind + "/")
    ]
    return Listing(items=items)


class SchemaShowArgs(Args):
    """Which schema."""

    name: str = first(max_length=120)
    """Such as task, driven_by, node/task or task.create."""


class Schema(Result):
    name: str
    json_schema: dict[str, Any] = Field(alias="schema")
    model_config = {"populate_by_name": True, "serialize_by_alias": True}


@verb("schema.show", "read", for_=EVERYONE, past=False, examples=[{"name": "node/task"}], text=".schema")
async def show(tx: Tx, args: SchemaShowArgs) -> Schema:
    """The JSON Schema of one node type, edge type or verb."""
    known = dict(_all(tx))
    for name in (args.name, f"node/{args.name}", f"edge/{args.name}", f"verb/{args.name}"):
        if name in known:
            return Schema(name=name, schema=known[name])
    short = {name.partition("/")[2] for name in known}
    raise Refused.not_found(f"there is no schema {args.name!r}{did_you_mean(args.name, short)}")


class SchemaExported(Result):
    schemas: dict[str, Any]


@verb("schema.export", "read", for_=EVERYONE, past=False, text=".schemas")
async def export(tx: Tx, args: SchemaListArgs) -> SchemaExported:
    """All schemas in one document, each flat, by name."""
    return SchemaExported(schemas={n: s for n, s in _all(tx) if args.kind is None or n.startswith(args.kind + "/")})


def _all(tx: Tx) -> list[tuple[str, dict[str, Any]]]:
    verbs = [(f"verb/{v.name}", verb_schema(v)) for v in sorted(tx.door.registry, key=lambda v: v.name)]
    return [*tx.catalogue.schemas(), *verbs]


def verb_schema(v: Verb) -> dict[str, Any]:
    """The arguments of a verb, flat and strict, with what every face needs to know of it."""
    schema = flat_schema(v.args)
    schema |= {"title": v.name, "description": v.summary}
    schema["x-verb"] = {"kind": v.kind, "scope": v.scope, "gate": v.gate, "undo": v.undo, "emits": v.emits}
    return schema


VERBS = (list_, show, export)
