"""Proposals: changes somebody would make and somebody else decides."""

# (Node declares `moves` and `relations` as class variables; saying so again in every type would only be noise.)

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from hq.asks.ask import Ask
from hq.graph.types import Moment, Name, Relation, Share


class Proposal(Ask):
    """A change an agent or the system would make and somebody else decides: to a rule, a prompt, the organisation."""

    type = "proposal"
    title_field = "kind"
    moves = {
        "pending": ("accepted", "rejected", "expired", "withdrawn"),
        "accepted": ("applied", "rejected", "expired", "withdrawn", "pending"),
        "rejected": (),
        "applied": ("rolled_back",),
        "rolled_back": (),
        "expired": ("pending",),
        "withdrawn": (),
    }
    life = {
        "pending": "open",
        "accepted": "answered",
        "rejected": "answered",
        "applied": "answered",
        "rolled_back": "answered",
        "expired": "expired",
        "withdrawn": "withdrawn",
    }
    says_field, deadline_field = "body", "expires_at"
    withdrawn, expired = "withdrawn", "expired"
    columns = ("body", "canary_id", "expires_at")
    relations = {
        "about": Relation("about", "What it would change."),
        "by_agent": Relation("requested_by", "Agent that proposes it."),
    }

    kind: Name
    """What sort of change it is, such as `schema_change`, `prompt_tweak` or `org_change`."""
    body: str = ""
    """What would change and why."""
    evidence: dict[str, JsonValue] = Field(default_factory=dict)
    """What speaks for it."""
    change: dict[str, JsonValue] = Field(default_factory=dict)
    """The change itself, for whoever applies it."""
    status: Literal["pending", "accepted", "rejected", "applied", "rolled_back", "expired", "withdrawn"] = "pending"
    """Whether it was decided, and what came of it."""
    open_while: list[str] | None = None
    """States of what it is about in which an answer is wanted."""
    sample_size: int | None = Field(default=None, ge=0)
    """How many cases speak for it."""
    canary_id: str | None = None
    """Mark on everything that ran under it while it was tried."""
    canary_fraction: Share | None = None
    """Share of the traffic it is tried on."""
    canary_ends_at: Moment | None = None
    """When the trial is over."""
    expires_at: Moment | None = None
    """When it lapses undecided."""
    decided_by: str | None = None
    """Actor who decided."""
    decided_at: Moment | None = None
    """When it was decided."""
    note: str | None = None
    """What the one who decided wants known."""
