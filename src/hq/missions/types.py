"""Missions, the briefs and delegations they are given by, and their memory.

Seed 000 B to E, seed 003 §3 to §5 and §7.
"""

# (Node declares `moves` and `relations` as class variables; saying so again in every type would only be noise.)

from __future__ import annotations

from typing import Literal

from pydantic import Field

from hq.graph.types import Edge, Moment, Name, Node, Part, Relation

MissionStatus = Literal["backlog", "planning", "assigned", "in_progress", "review", "done", "failed", "paused"]

_MISSION = Relation("for_mission", "Mission it is for.")


class Counter(Part):
    """Other terms an agent would take a mission on."""

    note: str = Field(min_length=1)
    """Why, in words for the commander."""
    token_budget: int | None = Field(default=None, ge=0)
    """Tokens it would need."""
    cost_limit: float | None = Field(default=None, ge=0)
    """Money it would need, in US dollars."""
    deadline: Moment | None = None
    """When it could be done."""
    deliverables: list[str] = Field(default_factory=list)
    """What it would bring instead; none named means what was asked for."""


class Mission(Node):
    """A unit of delegated work, nested, with a brief, a workspace and evidence."""

    type = "mission"
    title_field = "title"
    drawn = ("assigned_to", "commanded_by", "parent_mission", "fulfilled_by")
    moves = {
        "backlog": ("planning", "assigned", "paused", "failed"),
        "planning": ("backlog", "assigned", "in_progress", "paused", "failed"),
        "assigned": ("backlog", "planning", "in_progress", "paused", "failed"),
        "in_progress": ("backlog", "planning", "assigned", "review", "paused", "failed"),
        "review": ("in_progress", "done", "paused", "failed"),
        "done": ("in_progress",),
        "failed": ("backlog", "planning", "assigned"),
        "paused": ("backlog", "planning", "assigned", "in_progress", "review", "failed"),
    }
    columns = ("category", "deadline", "token_budget", "cost_limit")
    relations = {
        "assignee": Relation("assigned_to", "Who works on it."),
        "commander": Relation("commanded_by", "Who gave it and accepts the result."),
        "parent": Relation("parent_mission", "Mission it is a part of."),
        "objective": Relation("serves", "Objective it serves."),
        "organisation": Relation("in_organisation", "Organisation it is done in."),
        "about": Relation("about", "What it concerns."),
        "depends_on": Relation("depends_on", "What has to be finished first.", many=True),
    }

    title: Name
    """What is to be done, in one line."""
    description: str | None = None
    """What is to be done, at length."""
    status: MissionStatus = "backlog"
    """Where the mission stands; it is done when its evidence has been accepted."""
    priority: Literal["low", "medium", "high", "critical"] = "medium"
    """How much it matters."""
    category: str | None = None
    """What sort of work it is, such as `coding/webapp`; its workspace is sorted by it."""
    context_notes: str | None = None
    """The CEO's notes about it."""
    acceptance_criteria: list[str] = Field(default_factory=list)
    """What must be true for it to be accepted."""
    plan: list[str] = Field(default_factory=list)
    """Steps the agent intends to take; work of three or more starts by stating them."""
    plan_accepted_at: Moment | None = None
    """When the commander let the plan go ahead."""
    spec_ref: str | None = None
    """Specification it was taken from, such as a change directory or a line of a task list."""
    token_budget: int | None = Field(default=None, ge=0)
    """Tokens it may use."""
    cost_limit: float | None = Field(default=None, ge=0)
    """Money it may cost, in US dollars."""
    deadline: Moment | None = None
    """When it has to be done."""
    deliverables: list[str] = Field(default_factory=list)
    """What it has to bring, each with how that is checked: `file:…`, `command:…`, `url:…`, or words a person accepts."""
    counter: Counter | None = None
    """Other terms the assignee asks for; nothing once they were answered."""
    failed_checks: int = Field(default=0, ge=0)
    """How often it was handed in and the evidence was not there."""
    outcome_summary: str | None = None
    """What came out."""
    lessons_learned: str | None = None
    """What to do differently next time; feeds the company's memory."""
    status_reason: str | None = None
    """Why it is paused, failed or back in the backlog."""
    workspace_path: str | None = None
    """Directory it is worked on in, such as `missions/coding/webapp/app1`."""
    files_at: str | None = None
    """Where what was made is, on the machine of hq; nothing before it was handed in."""
    start_with: str | None = None
    """The command that starts what was made, where there is something to start."""
    started_at: Moment | None = None
    """When work began."""
    completed_at: Moment | None = None
    """When it was accepted."""


class MissionMemory(Node):
    """Something learned during one mission: a note, a decision, a blocker, a finding or a question."""

    type = "mission_memory"
    plural = "mission_memories"
    title_field = "content"
    columns = ("kind", "author")
    relations = {"mission": _MISSION}

    content: str = Field(min_length=1)
    """What was learned."""
    kind: Literal["note", "decision", "blocker", "finding", "question"] = "note"
    """What sort of memory it is."""
    author: str = Field(pattern=r"^(founder|ceo|system|agent:.+)$")
    """Who wrote it: `founder`, `ceo`, `agent:<slug>` or `system`."""


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
        "mission": _MISSION,
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


class Delegation(Node):
    """One agent giving a part of its brief to another."""

    type = "delegation"
    title_field = "reason"
    drawn = ("for_mission", "parent_brief", "child_brief", "delegated_to", "requested_by")
    moves = {
        "requested": ("approved", "rejected"),
        "approved": ("in_progress", "rejected", "failed"),
        "rejected": ("requested",),
        "in_progress": ("done", "failed"),
        "done": (),
        "failed": ("requested",),
    }
    columns = ("approved_by", "tokens_budget", "tokens_used")
    relations = {
        "parent_brief": Relation("parent_brief", "Brief that is delegated from."),
        "child_brief": Relation("child_brief", "Narrowed brief of the helper."),
        "requesting_agent": Relation("requested_by", "Agent that asks for help."),
        "target_agent": Relation("delegated_to", "Agent that is to help."),
    }

    reason: str = Field(min_length=1)
    """Why help is needed."""
    status: Literal["requested", "approved", "rejected", "in_progress", "done", "failed"] = "requested"
    """How far it has come."""
    approved_by: Literal["ceo", "founder", "pre_approved", "autonomous"] | None = None
    """Who or which rule let it go ahead."""
    tools: list[str] | None = None
    """The only tools the helper gets; nothing said means what it has of those of who asks."""
    tokens_budget: int | None = Field(default=None, ge=0)
    """Tokens the helper may use."""
    tokens_used: int = Field(default=0, ge=0)
    """Tokens the helper used, said once at the end."""


NODES: tuple[type[Node], ...] = (Mission, MissionMemory, Brief, Delegation)

_WORKERS = ("agent", "persona", "position", "contact")
_SUBJECTS = (
    "entity",
    "contact",
    "engagement",
    "project",
    "feature",
    "task",
    "deliverable",
    "document",
    "organisation",
    "position",
    "persona",
    "agent",
    "skill",
)

EDGES = (
    Edge(
        "assigned_to",
        "Who is to do it.",
        {"mission": _WORKERS, "brief": _WORKERS, "schedule": ("agent", "persona", "position")},
        cardinality="one",
        inverse="works_at",
    ),
    Edge("commanded_by", "Who gave it and accepts the result.", {"mission": _WORKERS}, cardinality="one"),
    Edge(
        "parent_mission",
        "The mission it is a part of.",
        {"mission": ("mission",)},
        cardinality="one",
        evidence=True,
        inverse="sub_missions",
    ),
    Edge(
        "for_mission",
        "The mission it is for.",
        dict.fromkeys(("mission_memory", "brief", "delegation", "workspace"), ("mission",)),
        cardinality="one",
        evidence=True,
    ),
    Edge("serves", "The objective it serves.", {"mission": ("objective",)}, evidence=True),
    Edge(
        "in_organisation",
        "The organisation it belongs to.",
        {"mission": ("organisation",), "schedule": ("organisation",)},
        cardinality="one",
    ),
    Edge("about", "What it concerns.", {"mission": _SUBJECTS}),
    Edge(
        "discussed_in",
        "The conversation it is talked about in.",
        {"mission": ("conversation",), "brief": ("conversation",)},
        by_hand=True,
    ),
    Edge(
        "parent_brief",
        "The brief that is delegated from.",
        {"delegation": ("brief",)},
        cardinality="one",
        evidence=True,
    ),
    Edge("child_brief", "The narrowed brief of the helper.", {"delegation": ("brief",)}, cardinality="one"),
    Edge("delegated_to", "The agent that is to help.", {"delegation": ("agent",)}, cardinality="one"),
    Edge("requested_by", "Who asks for it.", {"delegation": ("agent",)}, cardinality="one"),
    Edge(
        "authored_by",
        "Who or what wrote it.",
        dict.fromkeys(("mission_memory", "brief"), ("agent", "contact", "agent_run", "agent_session")),
        evidence=True,
    ),
    Edge(
        "blocked_by",
        "What keeps it from going on.",
        {
            "mission": (
                "mission",
                "project",
                "feature",
                "task",
                "question",
                "approval",
                "review",
                "risk",
                "open_question",
                "decision",
            )
        },
        inverse="blocks",
        by_hand=True,
    ),
    Edge(
        "blocks",
        "What it keeps from going on.",
        {"mission": ("mission", "project", "feature", "task")},
        inverse="blocked_by",
        by_hand=True,
    ),
    Edge(
        "depends_on",
        "What has to be finished first.",
        {"mission": ("mission", "project", "feature", "task", "deliverable", "decision")},
    ),
    Edge(
        "spawned",
        "Work that came out of it.",
        {"mission": ("task", "mission"), "schedule": ("task", "mission")},
        inverse="spawned_from",
        by_hand=True,
    ),
    Edge(
        "spawned_from",
        "What it came out of.",
        {
            "mission": (
                "intent",
                "event",
                "interaction",
                "conversation",
                "expectation",
                "alert",
                "schedule",
                "proposal",
                "mission",
            ),
        },
        evidence=True,
        inverse="spawned",
        by_hand=True,
    ),
    Edge(
        "fulfilled_by",
        "What proves that it was met.",
        {"mission": ("deliverable", "document", "memo", "event", "interaction", "task", "agent_run")},
        evidence=True,
        inverse="fulfils",
    ),
    Edge("supersedes", "What it replaces.", {"brief": ("brief",)}, evidence=True, inverse="superseded_by"),
    Edge("superseded_by", "What replaced it.", {"brief": ("brief",)}, inverse="supersedes"),
)
