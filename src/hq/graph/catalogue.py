"""Every kind of node and edge in one place: what the store validates against and `hq schema` publishes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from hq.errors import Refused
from hq.graph.types import ANY, Edge, Node, Relation
from hq.json_types import JsonSchema, Props
from hq.suggestion import did_you_mean


class Catalogue:
    """The declared types, by name. Rooms may each add ends to the same edge; the rest of it must agree."""

    def __init__(self, nodes: Iterable[type[Node]], edges: Iterable[Edge]) -> None:
        self.nodes: dict[str, type[Node]] = {}
        self.edges: dict[str, Edge] = {}
        self._by_hand: set[tuple[str, str]] = set()
        for node in nodes:
            if node.type in self.nodes:
                raise TypeError(f"node type {node.type!r} is declared twice")
            self.nodes[node.type] = node
        for edge in edges:
            self._add_edge(edge)
        self._check_ends()
        self._required = {
            type_: [e for e in self.edges.values() if e.cardinality == "exactly_one" and type_ in e.ends]
            for type_ in self.nodes
        }
        self.private = [type_ for type_, node in self.nodes.items() if node.seen_by is not None]
        """Types whose nodes not the whole company sees."""
        self.shared = [type_ for type_, node in self.nodes.items() if node.seen_by is None]
        self.seen_by = [f"{type_} {edge}" for type_ in self.private for edge in self.nodes[type_].seen_by or ()]
        """Those types, each with a link that leads to somebody who sees it."""

    def node(self, type_: str) -> type[Node]:
        found = self.nodes.get(type_)
        if found is None:
            raise Refused.invalid(f"there is no node type {type_!r}{did_you_mean(type_, self.nodes)}")
        return found

    def read(self, type_: str, props: Props) -> Node:
        """What was written of a node, as its type has it."""
        model = self.node(type_)
        known = model.model_fields
        if not props.keys() <= known.keys():  # a property an older program knew
            props = {name: value for name, value in props.items() if name in known}
        return model.model_validate(props)

    def edge(self, name: str) -> Edge:
        found = self.edges.get(name)
        if found is None:
            raise Refused.invalid(f"there is no edge type {name!r}{did_you_mean(name, self.edges)}")
        return found

    def by_hand(self, edge: str, source: str) -> bool:
        """Whether agents, too, draw this link from this type; where nobody said so, they do not."""
        return not self._by_hand.isdisjoint({(edge, source), (edge, ANY)})

    def related_by_hand(self, type_: str, relation: Relation) -> bool:
        """The same of what a noun's verbs take as an argument; one that points at the node, from whatever it may come."""
        sources = [type_]
        if relation.inward:
            sources = [source for source, targets in self.edge(relation.edge).ends.items() if type_ in targets]
        return all(self.by_hand(relation.edge, source) for source in sources)

    def required_from(self, type_: str) -> list[Edge]:
        """Edges that every node of this type must have exactly once."""
        return self._required[type_]

    def schemas(self) -> Iterator[tuple[str, JsonSchema]]:
        """(name, flat JSON Schema) of every node and edge type."""
        for type_, model in sorted(self.nodes.items()):
            yield f"node/{type_}", node_schema(model)
        for name, edge in sorted(self.edges.items()):
            yield f"edge/{name}", edge_schema(edge)

    def _add_edge(self, edge: Edge) -> None:
        self._by_hand |= {(edge.name, source) for source in edge.ends if edge.by_hand}
        known = self.edges.get(edge.name)
        if known is None:
            self.edges[edge.name] = edge
            return
        if (known.cardinality, known.evidence) != (edge.cardinality, edge.evidence):
            raise TypeError(f"edge {edge.name!r} is declared twice with different rules")
        ends = {
            source: tuple(dict.fromkeys(known.ends.get(source, ()) + edge.ends.get(source, ())))
            for source in {**known.ends, **edge.ends}
        }
        upward, only = known.upward or edge.upward, known.upward_while or edge.upward_while
        if edge.upward not in (None, upward):
            raise TypeError(f"edge {edge.name!r} leads up both ways")
        both = known.by_hand and edge.by_hand
        means = known.means or edge.means
        if edge.means not in (None, means):
            raise TypeError(f"edge {edge.name} means {known.means} in one room and {edge.means} in another")
        self.edges[edge.name] = replace(known, ends=ends, by_hand=both, upward=upward, upward_while=only, means=means)

    def _check_ends(self) -> None:
        known = {*self.nodes, "*"}
        for edge in self.edges.values():
            ends = set(edge.ends) | {t for targets in edge.ends.values() for t in targets}
            if ends - known:
                raise TypeError(f"edge {edge.name!r} names unknown types {sorted(ends - known)}")
        for model in self.nodes.values():
            if unknown := set(model.seen_by or ()) - set(self.edges):
                raise TypeError(f"{model.type} is seen by unknown edges {sorted(unknown)}")
            for name, relation in model.relations.items():
                if relation.edge not in self.edges:
                    raise TypeError(f"{model.type}.{name} relates by unknown edge {relation.edge!r}")


def node_schema(model: type[Node]) -> JsonSchema:
    schema = flat_schema(model)
    schema["title"] = model.type
    schema["x-type"] = model.type
    if model.moves:
        schema["x-states"] = {"field": model.state_field, "moves": {k: list(v) for k, v in model.moves.items()}}
    schema["x-redaction"] = model.redaction
    return schema


def edge_schema(edge: Edge) -> JsonSchema:
    props = flat_schema(edge.props) if edge.props else {"type": "object", "additionalProperties": False}
    return {
        "title": edge.name,
        "description": edge.meaning,
        "type": "object",
        "properties": {
            "from": {"type": "string", "description": "Slug or id of the source.", "x-types": sorted(edge.ends)},
            "to": {
                "type": "string",
                "description": "Slug or id of the target.",
                "x-types": sorted({t for targets in edge.ends.values() for t in targets}),
            },
            "props": props,
        },
        "required": ["from", "to"],
        "additionalProperties": False,
        "x-ends": {source: sorted(targets) for source, targets in sorted(edge.ends.items())},
        "x-cardinality": edge.cardinality,
    }


def flat_schema(model: type[BaseModel]) -> JsonSchema:
    """The model's JSON Schema with every `$ref` written out, as strict tool modes want it."""
    schema = model.model_json_schema()
    definitions = schema.pop("$defs", {})

    def inline(part: Any) -> Any:
        if isinstance(part, dict):
            if ref := part.get("$ref"):
                return inline({**definitions[ref.rsplit("/", 1)[1]], **{k: v for k, v in part.items() if k != "$ref"}})
            return {key: inline(value) for key, value in part.items()}
        return [inline(item) for item in part] if isinstance(part, list) else part

    return inline(schema)
