"""The schema: node types, edge types and verbs, as flat JSON Schemas."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypedDict

from pydantic import Field

from hq.door.access import EVERYONE
from hq.door.results import Listing
from hq.door.tx import Tx
from hq.door.verb import Args, Result, Verb, first, verb
from hq.errors import Refused
from hq.graph.catalogue import edge_schema, flat_schema, node_schema
from hq.json_types import JsonSchema
from hq.suggestion import did_you_mean

Part = Literal["node", "edge", "verb"]


class SchemaListArgs(Args):
    """Which part."""

    kind: Part | None = None
    """Only nodes, edges or verbs."""


class SchemaItem(TypedDict):
    """A schema in a line."""

    schema: str
    says: str


@verb("schema.list", "read", for_=EVERYONE, past=False, examples=[{"kind": "node"}])
async def list_(tx: Tx, args: SchemaListArgs) -> Listing[SchemaItem]:
    """Every node type, edge type and verb, one line each."""
    said = {name: each.says.strip() for name, each in _all(tx, args.kind).items()}
    return Listing[SchemaItem](items=[{"schema": name, "says": says.partition("\n")[0]} for name, says in said.items()])


class SchemaShowArgs(Args):
    """Which schema."""

    name: str = first(max_length=120)
    """Such as task, driven_by, node/task or task.create."""


class Schema(Result):
    name: str
    json_schema: JsonSchema = Field(alias="schema")
    model_config = {"populate_by_name": True, "serialize_by_alias": True}


@verb("schema.show", "read", for_=EVERYONE, past=False, examples=[{"name": "node/task"}], text=".schema")
async def show(tx: Tx, args: SchemaShowArgs) -> Schema:
    """The JSON Schema of one node type, edge type or verb."""
    known = _all(tx)
    for name in (args.name, f"node/{args.name}", f"edge/{args.name}", f"verb/{args.name}"):
        if name in known:
            return Schema(name=name, schema=known[name].make())
    short = {name.partition("/")[2] for name in known}
    raise Refused.not_found(f"there is no schema {args.name!r}{did_you_mean(args.name, short)}")


class SchemaExported(Result):
    schemas: dict[str, JsonSchema]


@verb("schema.export", "read", for_=EVERYONE, past=False, text=".schemas")
async def export(tx: Tx, args: SchemaListArgs) -> SchemaExported:
    """All schemas in one document, each flat, by name."""
    return SchemaExported(schemas={name: each.make() for name, each in _all(tx, args.kind).items()})


@dataclass(frozen=True)
class NamedSchema:
    """What something is in words, and its schema, made only when it is wanted: all of them take most of a second."""

    says: str
    make: Callable[[], JsonSchema]


def _all(tx: Tx, kind: Part | None = None) -> dict[str, NamedSchema]:
    nodes, edges = sorted(tx.catalogue.nodes.items()), sorted(tx.catalogue.edges.items())
    verbs = sorted(tx.door.registry, key=lambda v: v.name)
    found = {
        **{f"node/{type_}": NamedSchema(model.__doc__ or "", partial(node_schema, model)) for type_, model in nodes},
        **{f"edge/{name}": NamedSchema(edge.meaning, partial(edge_schema, edge)) for name, edge in edges},
        **{f"verb/{v.name}": NamedSchema(v.summary, partial(verb_schema, v)) for v in verbs},
    }
    return {name: each for name, each in found.items() if kind is None or name.startswith(f"{kind}/")}


def verb_schema(v: Verb) -> JsonSchema:
    """The arguments of a verb, flat and strict, with what every face needs to know of it."""
    schema = flat_schema(v.args)
    schema |= {"title": v.name, "description": v.summary}
    schema["x-verb"] = {"kind": v.kind, "scope": v.scope, "gate": v.gate, "undo": v.undo, "emits": v.emits}
    return schema


VERBS = (list_, show, export)
