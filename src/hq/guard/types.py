"""Budgets: what the founder lets the company spend. Spending itself is counted by the machine, not here."""

# (Node declares `moves` and `relations` as class variables; saying so again in every type would only be noise.)

from __future__ import annotations

from typing import Literal

from pydantic import Field

from hq.graph.types import Edge, Name, Node, Relation, Share


class Budget(Node):
    """A limit in money or tokens over a time, for the whole company or for what it is put on."""

    type = "budget"
    moves = {"active": ("suspended", "closed"), "suspended": ("active", "closed"), "closed": ("active",)}
    columns = ("period", "usd_hard", "tokens_hard")
    relations = {"on": Relation("limits", "What it limits; none means the whole company.")}

    name: Name
    """What it is called."""
    period: Literal["run", "hour", "day", "month", "total"] = "day"
    """Time after which it starts anew; `total` never does, as for a mission."""
    status: Literal["active", "suspended", "closed"] = "active"
    """Whether it binds."""
    usd_soft: float | None = Field(default=None, ge=0)
    """Money at which somebody is warned, in US dollars."""
    usd_hard: float | None = Field(default=None, ge=0)
    """Money that is never exceeded, in US dollars."""
    tokens_soft: int | None = Field(default=None, ge=0)
    """Tokens at which somebody is warned."""
    tokens_hard: int | None = Field(default=None, ge=0)
    """Tokens that are never exceeded."""
    heavy_hard: int | None = Field(default=None, ge=0)
    """Turns on the strongest model that are never exceeded."""
    warn_at: Share = 0.8
    """Share of the hard limit at which somebody is warned, where no soft limit is set."""


NODES: tuple[type[Node], ...] = (Budget,)

EDGES = (
    Edge(
        "limits",
        "What a budget is put on.",
        {"budget": ("organisation", "position", "agent", "mission", "project", "engagement", "schedule")},
        cardinality="one",
        inverse="limited_by",
    ),
)
