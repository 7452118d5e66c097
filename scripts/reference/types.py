"""The page of the node types, room by room."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator

from hq.app import catalogue, registry
from hq.cli import names
from hq.graph.types import Node
from scripts.reference.fields import fields
from scripts.reference.files import files_of
from scripts.reference.links import edge_link, type_link
from scripts.reference.markdown import anchor, codes, head, link, paragraph, table

INTRO = """
What a founder could name is a node: typed, validated, with history. A type's fields are its properties; beside them every
node has a slug that never changes, a title, tags, a producer, a confidence, a time from which it holds, and marks of
the outside content it came from. A room owns the types that its code works with.

Relations are edges that the type's verbs take as options. Any node may be linked to any other by
[`related_to`](edges.md#related_to). `hq schema show TYPE` prints the same as a JSON Schema.

Not every type has verbs of its own yet. Those without can be reached by `hq describe`, `hq link`, `hq history` and
`hq why` once something has made them.
"""


def page() -> Iterator[str]:
    yield from head("Node types", INTRO)
    rooms: dict[str, list[type[Node]]] = {}
    for model in catalogue().nodes.values():
        rooms.setdefault(model.__module__, []).append(model)
    yield from table(
        ("room", "types"),
        [(link(_room(m), f"#{anchor(_room(m))}"), ", ".join(type_link(n.type) for n in g)) for m, g in rooms.items()],
    )
    for module, group in rooms.items():
        yield f"## {_room(module)}"
        yield ""
        yield paragraph(sys.modules[module].__doc__ or "")
        yield ""
        for model in group:
            yield from _type(model)


def _room(module: str) -> str:
    """`hq.business.types.crm` is the room business, its file crm."""
    room, *rest = [part for part in module.split(".")[1:] if part != "types"]
    return f"Room {room}: {rest[0]}" if rest else f"Room {room}"


def _type(model: type[Node]) -> Iterator[str]:
    yield f"### {model.type}"
    yield ""
    yield paragraph(inspect.getdoc(model) or "")
    yield ""
    yield f"- {_named(model)}"
    if model.type in {verb.noun for verb in registry()}:
        yield f"- Verbs: [`hq {names.command_name(model.type)}`](verbs.md#{anchor(model.type)})."
    else:
        yield f"- Files: {codes(files_of(model.type))}."
    if model.redaction != "none":
        yield f"- Redaction: {model.redaction}."
    leaving, reaching = _ends_of(model.type)
    if leaving:
        yield f"- Edges from it: {', '.join(leaving)}."
    if reaching:
        yield f"- Edges to it: {', '.join(reaching)}."
    yield ""
    yield from fields(model, "field")
    if model.relations:
        yield from table(
            ("relation", "edge", "meaning"),
            [
                (f"`--{names.command_name(name)}`", edge_link(each.edge) + (" (to it)" if each.inward else ""), each.meaning)
                for name, each in model.relations.items()
            ],
        )  # fmt: skip
    if model.moves:
        yield from _states(model)


def _named(model: type[Node]) -> str:
    parts = [f"Named by `{model.title_field}`"]
    if model.numbered:
        parts.append("numbered within its type")
    if model.occurred:
        parts.append(f"placed on the timeline by `{model.occurred}`")
    return ", ".join(parts) + "."


def _states(model: type[Node]) -> Iterator[str]:
    yield f"Moves of `{model.state_field}`:"
    yield ""
    for state in model.states():
        yield f"- `{state}` → {codes(model.moves[state]) or 'nothing: it is final'}"
    yield ""
    yield "```mermaid"
    yield "stateDiagram-v2"
    first = model.model_fields[model.state_field].default
    if isinstance(first, str):
        yield f"    [*] --> {first}"
    yield from (f"    {state} --> {to}" for state in model.states() for to in model.moves[state])
    yield "```"
    yield ""


def _ends_of(type_: str) -> tuple[list[str], list[str]]:
    """Edges that name this type; those open to any type are told once, in the introduction."""
    known = sorted(catalogue().edges.values(), key=lambda edge: edge.name)
    leaving = [
        edge_link(edge.name) + (" (exactly one)" if edge.cardinality == "exactly_one" else "")
        for edge in known
        if type_ in edge.ends
    ]
    reaching = [edge_link(edge.name) for edge in known if any(type_ in targets for targets in edge.ends.values())]
    return leaving, reaching
