"""Triage decisions: what was proposed for an interaction, beside what was written (seed 002 §12)."""

# (Node declares `moves` and `relations` as class variables; saying so again in every type would only be noise.)

from __future__ import annotations

from typing import Literal

from pydantic import Field

from hq.graph.types import Moment, Name, Node, Part, Priority, Relation


class TriageValues(Part):
    """What triage would do, or did, with an interaction."""

    action: str | None = None
    """What to do, such as `create_task` or `ignore`."""
    title: str | None = None
    """Title of the task."""
    priority: Priority | None = None
    """How soon it matters."""
    driver: str | None = None
    """Slug of who should do it."""
    about: str | None = None
    """Slug of what it concerns."""
    due: Moment | None = None
    """When it has to be done."""


class TriageDecision(Node):
    """What triage proposed for an interaction, kept beside what was really written."""

    type = "triage_decision"
    title_field = "summary"
    moves = {
        "proposed": ("applied", "overridden", "dismissed"),
        "applied": ("overridden",),
        "overridden": (),
        "dismissed": ("proposed",),
    }
    occurred = "decided_at"
    columns = ("overridden_fields", "decided_at")
    relations = {"interaction": Relation("spawned_from", "Interaction that was triaged.")}

    summary: Name
    """What is to be done, in one line."""
    status: Literal["proposed", "applied", "overridden", "dismissed"] = "proposed"
    """Whether the proposal was taken as it was."""
    proposed: TriageValues
    """What triage proposed."""
    actual: TriageValues | None = None
    """What was written in the end."""
    overridden_fields: list[str] = Field(default_factory=list)
    """Fields somebody changed."""
    rationale: str | None = None
    """Why triage proposed it."""
    rule: str | None = None
    """Rule or prompt version that proposed it."""
    decided_at: Moment | None = None
    """When it was applied, overridden or dismissed."""
