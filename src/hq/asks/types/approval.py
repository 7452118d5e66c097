"""Approvals, calls that wait for a yes, and the grants they leave."""

# (Node declares `moves` and `relations` as class variables; saying so again in every type would only be noise.)

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from hq.asks.ask import Ask, Target
from hq.graph.types import Moment, Name, Node, Relation


class Approval(Ask):
    """A call that waits for a yes, bound to exactly what was asked for."""

    type = "approval"
    means = "permission"
    title_field = "asks"
    moves = {
        "pending": ("approved", "rejected", "expired", "cancelled"),
        "approved": ("done", "failed", "expired", "cancelled", "pending"),
        "rejected": (),
        "expired": (),
        "cancelled": (),
        "done": (),
        "failed": (),
    }
    life = {
        "pending": "open",
        "approved": "answered",
        "rejected": "answered",
        "expired": "expired",
        "cancelled": "withdrawn",
        "done": "answered",
        "failed": "answered",
    }
    says_field, deadline_field = "why", "expires_at"
    withdrawn, expired = "cancelled", "expired"
    columns = ("verb", "requester", "why")
    relations = {
        "mission": Relation("for_mission", "Mission the call is made for."),
        "about": Relation("about", "What the call would change."),
    }

    verb: Name
    """Verb that waits, as `noun.action`."""
    asks: str = ""
    """What is asked, to what and for whom, in the house's words."""
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    """Arguments it waits with."""
    arguments_hash: str
    """Hash of the arguments; a yes is good for these and no others."""
    targets: list[Target] = Field(default_factory=list)
    """Nodes it would change, at the versions the requester saw."""
    requester: str
    """Actor who made the call."""
    needs: str = ""
    """Why a yes is needed, in the house's words; `why` is what the requester says, if anything."""
    requester_principal: str
    """Id of the principal whose credential made the call; it never approves."""
    status: Literal["pending", "approved", "rejected", "expired", "cancelled", "done", "failed"] = "pending"
    """Whether it was decided, and what came of it."""
    gate: str
    """Class of the rule that stopped it, such as `destructive` or `cross_scope`."""
    why: str
    """Why it has to wait, in words for the one who decides."""
    forecast_cost_usd: float | None = Field(default=None, ge=0)
    """What it is expected to cost, in US dollars; nothing where nobody can say."""
    forecast: str = ""
    """The same in words, as a range with its grounds, by what its like cost before."""
    expires_at: Moment | None = None
    """When a yes is no longer possible."""
    nudged_at: Moment | None = None
    """When the founder was last reminded."""
    escalated_at: Moment | None = None
    """When it was raised as urgent, because it will run out."""
    decided_by: str | None = None
    """Actor who decided."""
    decided_at: Moment | None = None
    """When it was decided."""
    note: str | None = None
    """What the one who decided wants known."""
    outcome_action: str | None = None
    """Id of the action that carried it out."""


class Grant(Node):
    """A standing permission: an actor may call a verb without asking, within a scope and until a time."""

    type = "grant"
    title_field = "verb"
    moves = {"active": ("revoked", "expired", "used"), "revoked": (), "expired": (), "used": ()}
    columns = ("actor", "scope", "expires_at", "granted_by")

    actor: str
    """Who it is given to."""
    verb: str = Field(pattern=r"^[a-z][a-z0-9_-]*(\.[a-z][a-z0-9_-]*)*(\.\*)?$")
    """Verb it allows; `email.*` allows all of a noun's."""
    scope: str | None = None
    """Slug the target must have; nothing means any target."""
    status: Literal["active", "revoked", "expired", "used"] = "active"
    """Whether it still allows anything."""
    expires_at: Moment | None = None
    """When it ends."""
    granted_by: str
    """Actor who gave it."""
    from_approval: str | None = None
    """Slug or id of the approval it came out of."""
    uses_left: int | None = Field(default=None, ge=0)
    """How many calls it still allows; nothing means any number."""
