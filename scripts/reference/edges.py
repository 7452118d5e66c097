"""The page of the edge types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hq.app import catalogue
from hq.graph.types import ANY, Edge
from scripts.reference.fields import fields
from scripts.reference.links import edge_link, type_link
from scripts.reference.markdown import head, table

INTRO = """
A link between two nodes, made with `hq link SOURCE EDGE TARGET` or by the options of a verb. Where a source has one at
most, a new link takes the place of the old one; where it has exactly one, a node cannot be made without it. `hq why` walks
the edges marked as evidence: their target is a reason for their source. People may draw any of them but those that follow
from what happens; agents only those marked so below, from which nobody gets a right.
"""
PER_SOURCE = {"many": "any number", "one": "one at most", "exactly_one": "exactly one"}


def page() -> Iterator[str]:
    yield from head("Edge types", INTRO)
    known = [edge for _, edge in sorted(catalogue().edges.items())]
    yield from table(
        ("edge", "per source", "evidence", "from the other end", "meaning"),
        [
            (
                edge_link(edge.name, page=""),
                PER_SOURCE[edge.cardinality],
                "yes" if edge.evidence else "",
                f"`{edge.inverse}`" if edge.inverse else "",
                edge.meaning,
            )
            for edge in known
        ],
    )
    yield "## Ends"
    yield ""
    for edge in known:
        yield from _edge(edge)


def _edge(edge: Edge) -> Iterator[str]:
    yield f"### {edge.name}"
    yield ""
    yield edge.meaning
    yield ""
    together: dict[tuple[tuple[str, ...], bool], list[str]] = {}
    for source, targets in edge.ends.items():
        together.setdefault((targets, catalogue().by_hand(edge.name, source)), []).append(source)
    for (targets, by_hand), sources in together.items():
        yield f"- {_any_of(sources)} → {_any_of(targets)}{' (agents too)' if by_hand else ''}"
    yield ""
    if edge.props:
        yield from fields(edge.props, "property")


def _any_of(found: Sequence[str]) -> str:
    return ", ".join("any type" if type_ == ANY else type_link(type_) for type_ in found)
