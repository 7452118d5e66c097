"""Types of the organisation: organisations, roles, seats, personas, who sits where, handoffs and objectives.

Seed 003 §0, §1 and §5. Roles and personas are global; everything else is an organisation's.
"""

# (Node declares `moves` and `relations` as class variables; saying so again in every type would only be noise.)

from __future__ import annotations

from typing import Literal

from pydantic import Field

from hq.graph.types import Moment, Name, Node, Part, Relation, Share


class OrgIntent(Part):
    """What an organisation is for when two good things pull apart; read from its `intent.md`."""

    optimise_for: list[str] = Field(default_factory=list)
    """What to get more of."""
    protect: list[str] = Field(default_factory=list)
    """What must not get worse."""
    never_sacrifice: list[str] = Field(default_factory=list)
    """What is not traded for anything."""
    constraints: list[str] = Field(default_factory=list)
    """What always holds."""


class Organisation(Node):
    """A team of agents with a purpose, an intent and a chart of seats."""

    type = "organisation"
    means = "unit"
    holds_back = ("dormant",)
    numbered = True
    slug_prefix = "purpose"
    moves = {"active": ("dormant", "archived"), "dormant": ("active", "archived"), "archived": ("active",)}
    columns = ("purpose", "risk_tolerance")

    name: Name
    """What the organisation is called."""
    purpose: str = Field(min_length=1, max_length=64)
    """Its domain, such as `software-development`; the slug begins with it."""
    description: str | None = None
    """What it does."""
    status: Literal["active", "dormant", "archived"] = "active"
    """Whether it works."""
    intent: OrgIntent = OrgIntent()
    """What it optimises for, protects and never sacrifices."""
    intent_md: str | None = None
    """The text of its `intent.md`, as it was last written or taken over."""
    philosophy: str | None = None
    """How it is managed, in the founder's words."""
    risk_tolerance: Literal["cautious", "balanced", "aggressive"] = "balanced"
    """How much its agents may do without asking."""
    value_under_management: float | None = None
    """What it manages is worth, as last measured; below a seat's `hard_stop_below` that seat stops."""
    value_measured_at: Moment | None = None
    """When that was measured."""


class Role(Node):
    """A specialisation, in a vocabulary that all organisations share."""

    type = "role"
    numbered = True
    columns = ("description",)

    name: Name
    """What the role is called, such as `architect`."""
    description: str | None = None
    """What somebody in this role does."""


class Position(Node):
    """A seat in an organisation, filled or vacant, with its place in the chart and what it may spend."""

    type = "position"
    means = "seat"
    title_field = "title"
    drawn = ("in_organisation", "has_role", "reports_to", "escalates_to")
    numbered = True
    columns = ("level", "is_cross_cutting")
    relations = {
        "organisation": Relation("in_organisation", "Organisation the seat is in."),
        "role": Relation("has_role", "Role the seat asks for."),
        "reports_to": Relation("reports_to", "Seat it reports to; none means the founder."),
        "escalates_to": Relation("escalates_to", "Seat it escalates to; none means the founder."),
    }

    title: Name
    """What the seat is called, such as `Principal Architect`."""
    level: int = Field(default=1, ge=1)
    """How far from the top it is; 1 is the top."""
    is_cross_cutting: bool = False
    """Whether it serves the whole organisation rather than one line of it."""
    description: str | None = None
    """What is expected of whoever sits here."""
    spend_per_transaction: float | None = Field(default=None, ge=0)
    """Most it may spend in one transaction; nothing means no authority of its own."""
    spend_per_session: float | None = Field(default=None, ge=0)
    """Most it may spend in one session."""
    hard_stop_below: float | None = None
    """Value under management below which everything it does has to stop and be escalated."""
    currency: str = Field(default="USD", pattern=r"^[A-Z]{3}$")
    """Currency of these limits, by its ISO code."""


class Persona(Node):
    """An identity with a skill file and an experience file that can sit in seats of several organisations."""

    type = "persona"
    numbered = True
    drawn = ("in_organisation", "has_role")
    slug_prefix = "role"
    moves = {"active": ("archived",), "archived": ("active",)}
    columns = ("role", "description")

    name: Name
    """What the persona is called, such as `Robbo`."""
    role: str = Field(min_length=1, max_length=64)
    """Name of its role; the slug begins with it, and the edge `has_role` leads to the role itself."""
    description: str | None = None
    """Who it is, in a sentence or two."""
    status: Literal["active", "archived"] = "active"
    """Whether it can be given a seat."""


class PositionAssignment(Node):
    """The time a persona holds a seat; one persona per seat at a time."""

    type = "position_assignment"
    means = "holding"
    title_field = "label"
    drawn = ("fills", "held_by")
    numbered = True
    moves = {"active": ("ended",), "ended": ()}
    occurred = "assigned_at"
    columns = ("assigned_at", "unassigned_at")
    relations = {
        "position": Relation("fills", "Seat that is filled."),
        "persona": Relation("held_by", "Persona that fills it."),
    }

    label: Name = "assignment"
    """Persona and seat in words, such as `Robbo as Principal Architect`."""
    status: Literal["active", "ended"] = "active"
    """Whether the persona still holds the seat."""
    assigned_at: Moment
    """When it took the seat."""
    unassigned_at: Moment | None = None
    """When it left the seat."""
    note: str | None = None
    """Why the seat was given or taken away."""


class Handoff(Node):
    """One agent passing its work on to a successor of the same persona, in a document of six sections."""

    type = "handoff"
    seen_by = ("handed_over_by", "handed_over_to")
    title_field = "reason"
    moves = {
        "requested": ("completed", "failed"),
        "completed": (),
        "failed": ("requested",),
    }
    occurred = "requested_at"
    columns = ("context_used", "requested_at", "completed_at")
    relations = {
        "agent": Relation("handed_over_by", "Agent that hands over."),
        "successor": Relation("handed_over_to", "Agent that takes over."),
    }

    reason: Name
    """Why it hands over, such as `context` or `voice`."""
    context: str | None = None
    """What whoever asked for it wants said."""
    status: Literal["requested", "completed", "failed"] = "requested"
    """Whether the successor has the document."""
    context_used: Share | None = None
    """How full the agent's context was."""
    current_work: str | None = None
    """What was being worked on."""
    progress: str | None = None
    """How far it had come."""
    key_decisions: str | None = None
    """What had been decided and why."""
    blockers: str | None = None
    """What stood in the way."""
    files_modified: list[str] = Field(default_factory=list)
    """Files that were changed."""
    next_steps: str | None = None
    """What is to be done next."""
    document_path: str | None = None
    """File the document was written to, relative to the company's files."""
    completed_via: Literal["file", "stop_hook"] | None = None
    """Which of the two ways to completion noticed it."""
    error: str | None = None
    """Why it failed."""
    from_session: str | None = None
    """Session that hands over; it stays alive."""
    to_session: str | None = None
    """Session that takes over."""
    due_at: Moment | None = None
    """When the step it is at is given up."""
    requested_at: Moment | None = None
    """When it was asked for."""
    completed_at: Moment | None = None
    """When the successor had it."""


class Objective(Node):
    """What an organisation wants to reach, with a number where there is one; work serves it or serves none."""

    type = "objective"
    title_field = "current_text"
    moves = {
        "active": ("met", "missed", "dropped"),
        "met": ("active",),
        "missed": ("active",),
        "dropped": ("active",),
    }
    columns = ("metric", "target_value", "measured_value", "due")
    relations = {
        "organisation": Relation("in_organisation", "Organisation whose objective it is."),
        "parent": Relation("serves", "Larger objective it serves."),
    }

    current_text: str = Field(min_length=1)
    """What is to be reached."""
    constraints: str | None = None
    """What must hold on the way."""
    priority_enabled: bool = True
    """Whether agents are ranked by how well their work fits it."""
    status: Literal["active", "met", "missed", "dropped"] = "active"
    """Whether it is still pursued."""
    metric: str | None = None
    """What is measured, such as `monthly recurring revenue`."""
    unit: str | None = None
    """Unit of the measurement."""
    baseline_value: float | None = None
    """Where it started."""
    target_value: float | None = None
    """Where it should get to."""
    measured_value: float | None = None
    """Where it is, as last measured."""
    measured_at: Moment | None = None
    """When it was last measured."""
    due: Moment | None = None
    """When it should be reached."""


NODES: tuple[type[Node], ...] = (Organisation, Role, Position, Persona, PositionAssignment, Handoff, Objective)
