"""Provenance of every fact: the producer, a node of its own (seed 002 §11)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field

from hq.graph.types import ANY, Edge, Name, Node


class Producer(Node):
    """A source of data. Every fact names the one it came from; health is kept by the machine, not here."""

    type = "producer"
    moves: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "active": ("paused", "retired"),
        "paused": ("active", "retired"),
        "retired": ("active",),
    }
    columns = ("kind", "role")

    name: Name
    """What it is called, as `channel:account`, such as `email:zoho-wilson` or `cc:agent:ventures:chief`."""
    kind: Literal["conversation_channel", "agent_session", "project", "external_system", "internal_worker"]
    """What sort of source it is."""
    status: Literal["active", "paused", "retired"] = "active"
    """Whether anything is taken from it."""
    role: str | None = None
    """For an internal worker that is an agent, which one, such as `ventures:chief`."""
    description: str | None = None
    """What it brings in."""
    expected_every_minutes: int | None = Field(default=None, ge=1)
    """How often it should be heard from; a longer silence is a fault."""


NODES: tuple[type[Node], ...] = (Producer,)

EDGES = (
    Edge(
        "produced_by",
        "The source a fact came from; every node has one, kept in the column `producer_id`.",
        {ANY: ("producer",)},
        cardinality="one",
    ),
)
