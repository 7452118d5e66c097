"""Escalations: what an agent could not resolve, on its way up the seats."""

# (Node declares `moves` and `relations` as class variables; saying so again in every type would only be noise.)

from __future__ import annotations

from typing import Literal

from pydantic import Field

from hq.asks.ask import Ask, Option
from hq.door.verb import Gate
from hq.graph.types import Moment, Name, Relation


class Escalation(Ask):
    """Something an agent could not resolve, on its way up the seats until somebody does."""

    type = "escalation"
    title_field = "summary"
    moves = {"open": ("resolved", "withdrawn"), "resolved": (), "withdrawn": ()}
    life = {"open": "open", "resolved": "answered", "withdrawn": "withdrawn"}
    says_field, at_field = "context_md", "resolved_at"
    withdrawn = "withdrawn"
    columns = ("trigger", "hops", "resolved_at")
    relations = {
        "mission": Relation("for_mission", "Mission that is stuck."),
        "raised_by": Relation("requested_by", "Agent that raised it."),
        "to": Relation("addressed_to", "Seat or person it is with."),
        "resolved_by": Relation("resolved_by", "Who resolved it."),
    }

    summary: Name
    """What cannot be resolved, in one line."""
    trigger: Literal["self_report", "deadline", "repeated_failure", "low_confidence"] = "self_report"
    """What made it an escalation."""
    status: Literal["open", "resolved", "withdrawn"] = "open"
    """Whether it is resolved."""
    context_md: str | None = None
    """What was tried and what is known, in markdown."""
    options: list[Option] = Field(default_factory=list)
    """Answers to choose from; words of one's own are an answer too."""
    risk: Gate = "internal"
    """What the answer lets happen, by the classes of the risk table: it says who may answer."""
    hops: int = Field(default=0, ge=0)
    """How many seats it has passed."""
    resolution: str | None = None
    """The answer, which goes back to who asked and into its experience."""
    because: list[str] = Field(default_factory=list)
    """What an agent's answer rests on: memories and decisions, by slug."""
    resolved_at: Moment | None = None
    """When it was resolved."""
    decided_by: str | None = None
    """Actor who resolved it."""
