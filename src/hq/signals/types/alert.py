"""Alerts: warnings by monitoring or a background check."""

# (Node declares `moves` and `relations` as class variables; saying so again in every type would only be noise.)

from __future__ import annotations

from typing import Literal

from pydantic import Field

from hq.graph.types import Moment, Name, Node, Relation


class Alert(Node):
    """A warning by monitoring or a background check, routed by how bad it is."""

    type = "alert"
    moves = {
        "firing": ("acknowledged", "silenced", "resolved"),
        "acknowledged": ("firing", "silenced", "resolved"),
        "silenced": ("firing", "resolved"),
        "resolved": ("firing",),
    }
    occurred = "starts_at"
    columns = ("severity", "summary", "starts_at")
    relations = {"about": Relation("about", "What it concerns.")}

    name: Name
    """Which rule fired."""
    severity: Literal["info", "warning", "critical"] = "warning"
    """How bad it is, which decides who is told and how."""
    status: Literal["firing", "acknowledged", "silenced", "resolved"] = "firing"
    """Whether it still fires."""
    summary: str = ""
    """What is wrong, in one line."""
    description_md: str | None = None
    """What is wrong and what can be done, in markdown."""
    labels: dict[str, str] = Field(default_factory=dict)
    """Labels it was fired with."""
    fingerprint: str | None = None
    """What makes it the same alert when it fires again."""
    generator_url: str | None = None
    """Where it was fired from."""
    starts_at: Moment | None = None
    """When it began."""
    ends_at: Moment | None = None
    """When it was over."""
