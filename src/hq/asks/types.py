"""Asks: whatever waits for somebody's word. Approvals and the grants they leave, proposals, reviews, escalations, questions.

Each type keeps the seeds' own words for its states (seed 000 E, seed 002 §33 to §37, seed 003 §4 and §6) and says where each
of them stands in the one life that they share: open, then answered, withdrawn or expired.
"""

# (Node declares `moves` and `relations` as class variables; saying so again in every type would only be noise.)

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from hq.asks.ask import ActingOption, Ask, Option, Severity, Target
from hq.graph.types import ANY, Edge, Moment, Name, Node, Relation, Share


class Question(Ask):
    """Something an agent needs to know before it can go on; it bubbles up, and the answer flows down."""

    type = "question"
    title_field = "question_text"
    moves = {
        "open": ("escalated", "answered", "withdrawn", "expired"),
        "escalated": ("answered", "withdrawn", "expired"),
        "answered": ("open",),
        "withdrawn": (),
        "expired": ("open",),
    }
    life = {
        "open": "open",
        "escalated": "open",
        "answered": "answered",
        "withdrawn": "withdrawn",
        "expired": "expired",
    }
    says_field, deadline_field, by_field, at_field = "context", "deadline", "answered_by", "answered_at"
    withdrawn, expired = "withdrawn", "expired"
    columns = ("choice", "answered_by", "deadline")
    relations = {
        "mission": Relation("for_mission", "Mission that waits for the answer."),
        "asker": Relation("requested_by", "Agent that asks."),
        "to": Relation("addressed_to", "Who is asked."),
    }

    question_text: str = Field(min_length=1)
    """What is asked."""
    kind: str = "question"
    """What sort of question it is, such as `message` or `choice`."""
    context: str | None = None
    """What the one who answers needs to know."""
    options: list[ActingOption] = Field(default_factory=list)
    """Answers to choose from; none means free text."""
    acts_as: str | None = None
    """Actor in whose name, and with whose rights alone, an option's call is made; nobody means who answers."""
    severity: Severity = "info"
    """How much it matters that somebody answers."""
    open_while: list[str] | None = None
    """States of what it is about in which an answer is wanted."""
    recommendation: str | None = None
    """Key of the option the asker would take, or its advice in words."""
    status: Literal["open", "escalated", "answered", "withdrawn", "expired"] = "open"
    """Whether it is with the commander, with the founder, or answered."""
    choice: str | None = None
    """Key of the option that was chosen."""
    answer: str | None = None
    """The answer in words."""
    answered_by: str | None = None
    """Actor who answered."""
    answered_at: Moment | None = None
    """When it was answered."""
    deadline: Moment | None = None
    """When the answer is needed."""


class Approval(Ask):
    """A call that waits for a yes, bound to exactly what was asked for."""

    type = "approval"
    title_field = "verb"
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
    columns = ("requester", "why")
    relations = {
        "mission": Relation("for_mission", "Mission the call is made for."),
        "about": Relation("about", "What the call would change."),
    }

    verb: Name
    """Verb that waits, as `noun.action`."""
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    """Arguments it waits with."""
    arguments_hash: str
    """Hash of the arguments; a yes is good for these and no others."""
    targets: list[Target] = Field(default_factory=list)
    """Nodes it would change, at the versions the requester saw."""
    requester: str
    """Actor who made the call."""
    requester_principal: str
    """Id of the principal whose credential made the call; it never approves."""
    status: Literal["pending", "approved", "rejected", "expired", "cancelled", "done", "failed"] = "pending"
    """Whether it was decided, and what came of it."""
    gate: str
    """Class of the rule that stopped it, such as `destructive` or `cross_scope`."""
    why: str
    """Why it has to wait, in words for the one who decides."""
    forecast_cost_usd: float | None = Field(default=None, ge=0)
    """What it is expected to cost."""
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


class Review(Ask):
    """A decision a machine was not sure enough of, or not allowed to take, waiting for somebody."""

    type = "review"
    title_field = "question_text"
    moves = {
        "open": ("deferred", "resolved", "dismissed", "expired"),
        "deferred": ("open", "resolved", "dismissed", "expired"),
        "resolved": (),
        "dismissed": ("open",),
        "expired": ("open",),
    }
    life = {
        "open": "open",
        "deferred": "open",
        "resolved": "answered",
        "dismissed": "withdrawn",
        "expired": "expired",
    }
    deadline_field = "expires_at"
    withdrawn, expired = "dismissed", "expired"
    columns = ("kind", "choice", "defer_until")
    relations = {
        "about": Relation("about", "What is reviewed."),
        "resolved_by": Relation("resolved_by", "Who resolved it."),
    }

    question_text: str = Field(min_length=1)
    """What is to be decided."""
    kind: str = "decision"
    """What sort of review it is, such as `memory-conflict` or `entity-merge`."""
    options: list[Option] = Field(default_factory=list)
    """Ways to decide."""
    status: Literal["open", "deferred", "resolved", "dismissed", "expired"] = "open"
    """Whether it is decided."""
    choice: str | None = None
    """Key of the option that was chosen."""
    note: str | None = None
    """What the one who decided wants known."""
    defer_until: Moment | None = None
    """When it comes back."""
    expires_at: Moment | None = None
    """When nobody needs the decision any more."""
    decided_by: str | None = None
    """Actor who decided."""
    decided_at: Moment | None = None
    """When it was decided."""


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
    hops: int = Field(default=0, ge=0)
    """How many seats it has passed."""
    resolution: str | None = None
    """The answer, which goes back to who asked and into its experience."""
    resolved_at: Moment | None = None
    """When it was resolved."""
    decided_by: str | None = None
    """Actor who resolved it."""


ASKS: tuple[type[Ask], ...] = (Approval, Proposal, Review, Escalation, Question)
NODES: tuple[type[Node], ...] = (Question, Approval, Grant, Review, Proposal, Escalation)

_ASKED = ("agent", "persona", "position", "contact")

EDGES = (
    Edge(
        "for_mission",
        "The mission it is for.",
        dict.fromkeys(("question", "approval", "escalation", "proposal"), ("mission",)),
        cardinality="one",
        evidence=True,
    ),
    Edge(
        "requested_by",
        "Who asks for it.",
        dict.fromkeys(("question", "approval", "proposal", "escalation", "grant"), ("agent", "persona", "contact")),
        cardinality="one",
    ),
    Edge("addressed_to", "Who is asked.", {ask.type: _ASKED for ask in ASKS}),
    Edge(
        "resolved_by",
        "Who or what resolved it.",
        dict.fromkeys(("review", "escalation", "question"), ("contact", "agent", "agent_run")),
        evidence=True,
    ),
    Edge(
        "about",
        "What it concerns.",
        dict.fromkeys(("question", "approval", "review", "proposal", "escalation"), (ANY,)),
    ),
    Edge(
        "spawned_from",
        "What it came out of.",
        {
            "grant": ("approval", "decision", "proposal"),
            "review": (
                "proposal",
                "reasoning_trace",
                "interaction",
                "agent_incident",
                "memory_entry",
                "triage_decision",
            ),
            "proposal": ("agent_incident", "review", "reasoning_trace", "agent_run", "lesson", "success_example"),
            "escalation": ("question", "agent_incident", "mission_memory", "approval"),
            "question": ("mission_memory", "agent_run", "agent_session"),
            "approval": ("agent_run", "agent_session", "proposal", "interaction"),
        },
        evidence=True,
        inverse="spawned",
    ),
    Edge("supersedes", "What it replaces.", {"proposal": ("proposal",)}, evidence=True, inverse="superseded_by"),
    Edge("superseded_by", "What replaced it.", {"proposal": ("proposal",)}, inverse="supersedes"),
    Edge(
        "blocks",
        "What it keeps from going on.",
        {"question": ("mission",), "approval": ("mission",)},
        inverse="blocked_by",
    ),
)
