"""Briefs: everything an agent is given for a mission."""

# (Node declares `moves` and `relations` as class variables; saying so again in every type would only be noise.)

from __future__ import annotations

from typing import Literal

from pydantic import Field

from hq.graph.types import Moment, Node, Part, Relation


class Constraints(Part):
    """The limits a brief is worked under."""

    token_budget: int | None = Field(default=None, ge=0)
    """Tokens that may be used."""
    cost_limit: float | None = Field(default=None, ge=0)
    """Money it may cost, in US dollars."""
    deadline: Moment | None = None
    """When it has to be done."""
    quality_notes: str | None = None
    """What is good enough."""
    other: list[str] = Field(default_factory=list)
    """Anything else that must hold."""


class Brief(Node):
    """Everything an agent is given for a mission: the goal, the reasons, the limits, the tools and the helpers."""

    type = "brief"
    title_field = "objective"
    drawn = ("assigned_to", "for_mission")
    over = ("done", "failed")
    moves = {
        "assigned": ("in_progress", "blocked", "failed"),
        "in_progress": ("blocked", "review", "failed"),
        "blocked": ("assigned", "in_progress", "failed"),
        "review": ("in_progress", "done", "failed"),
        "done": ("in_progress",),
        "failed": ("assigned",),
    }
    columns = ("delegation_rules", "delegation_budget")
    relations = {
        "mission": Relation("for_mission", "Mission it is for."),
        "agent": Relation("assigned_to", "Agent it is written for."),
        "conversation": Relation("discussed_in", "Conversation with the agent about it."),
    }

    objective: str = Field(min_length=1)
    """What to accomplish."""
    context: str
    """Background, and why it matters."""
    status: Literal["assigned", "in_progress", "blocked", "review", "done", "failed"] = "assigned"
    """How far the agent has come with it."""
    constraints: Constraints = Constraints()
    """Budget, time and quality."""
    deliverables: list[str] = Field(default_factory=list)
    """What to hand in."""
    tools_approved: list[str] = Field(default_factory=list)
    """Skills the agent may use for it."""
    skills: list[str] = Field(default_factory=list)
    """Skills that the agent has for as long as it works on this, beside its own."""
    agents_approved: list[str] = Field(default_factory=list)
    """Agents it may call on; `*` means all."""
    delegation_rules: Literal["pre_approved", "request_approval", "autonomous"] = "request_approval"
    """Whether it may delegate at will, must ask each time, or may build its own team."""
    delegation_budget: int | None = Field(default=None, ge=0)
    """Tokens it may spend on helpers."""
    escalation_threshold: int | None = Field(default=None, ge=0)
    """Tokens above which a piece of delegated work needs the CEO's word."""
    org_context: str | None = None
    """What the company knows that matters here, chosen by the CEO."""
    prior_work: str | None = None
    """What related missions brought."""
    founder_prefs: str | None = None
    """What the founder likes that matters here."""
