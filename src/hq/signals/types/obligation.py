"""Intents and expectations: what somebody asks for, and what is owed (seed 002 §9 and §11)."""

# (Node declares `moves` and `relations` as class variables; saying so again in every type would only be noise.)

from __future__ import annotations

from typing import Literal

from hq.graph.types import Moment, Node, Relation

Urgency = Literal["blocker", "impactful", "nice"]
_ABOUT = Relation("about", "What it concerns.")


class Intent(Node):
    """What somebody asks for or signals in an interaction."""

    type = "intent"
    title_field = "kind"
    moves = {
        "open": ("fulfilled", "abandoned", "superseded"),
        "fulfilled": ("open",),
        "abandoned": ("open",),
        "superseded": (),
    }
    columns = ("urgency", "evidence_span", "explicit_due_at")
    relations = {
        "about": _ABOUT,
        "extracted_from": Relation("extracted_from", "Interaction it was read from."),
        "addressed_to": Relation("addressed_to", "Who is asked."),
    }

    kind: Literal[
        "ask_reply",
        "ask_budget",
        "ask_document",
        "ask_development",
        "ask_fix",
        "ask_meeting",
        "ask_decision",
        "ask_intro",
        "inform",
        "confirm",
        "approve",
        "complain",
        "churn_signal",
        "expand_signal",
        "thank",
    ]
    """What is asked for or signalled."""
    status: Literal["open", "fulfilled", "abandoned", "superseded"] = "open"
    """Whether it has been met."""
    urgency: Urgency = "nice"
    """How much hangs on it."""
    explicit_due_at: Moment | None = None
    """Deadline the sender stated."""
    evidence_span: str | None = None
    """The words it was read from, quoted."""


class Expectation(Node):
    """Something owed, by whom, to whom and until when: every promise, ours or theirs."""

    type = "expectation"
    title_field = "description_md"
    moves = {
        "open": ("overdue", "resolved", "abandoned", "superseded"),
        "overdue": ("open", "resolved", "abandoned", "superseded"),
        "resolved": ("open",),
        "abandoned": ("open",),
        "superseded": (),
    }
    occurred = "asked_at"
    columns = ("kind", "direction", "severity", "due_at")
    relations = {
        "about": _ABOUT,
        "owed_by": Relation("owed_by", "Who owes it."),
        "owed_to": Relation("owed_to", "Who it is owed to."),
        "spawned_from": Relation("spawned_from", "Intent, event or interaction it came out of."),
        "supersedes": Relation("supersedes", "Expectation it replaces."),
    }

    kind: Literal["commitment_made", "ask_received", "sla", "recurring_obligation", "deliverable_promised"]
    """How the obligation came about."""
    direction: Literal["we_owe", "they_owe", "mutual"]
    """Who owes whom."""
    status: Literal["open", "overdue", "resolved", "abandoned", "superseded"] = "open"
    """Whether it has been met."""
    severity: Urgency = "nice"
    """How much hangs on it."""
    description_md: str = ""
    """What is owed, in a short text."""
    asked_at: Moment | None = None
    """When it was asked for or promised."""
    due_at: Moment | None = None
    """When it is due."""
    resolved_at: Moment | None = None
    """When it was met or given up."""
    sla_source: Literal["engagement", "policy", "explicit", "derived"] | None = None
    """Where its deadline comes from."""
    rrule: str | None = None
    """For a recurring obligation, how often it comes back, as an RRULE."""
