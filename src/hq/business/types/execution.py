"""Projects, features, tasks, what they ship and what happened along the way (seed 002 §9, execution hierarchy)."""

# (Node declares `moves` and `relations` as class variables; saying so again in every type would only be noise.)

from __future__ import annotations

from typing import Literal

from pydantic import Field

from hq.graph.types import ANY, Edge, Moment, Name, Node, Priority, Relation


class Project(Node):
    """Work for an engagement or an own venture, wrapped with a priority, a status and a tech stack."""

    type = "project"
    holds_back = ("paused",)
    over = ("done", "cancelled")
    moves = {
        "planned": ("in_progress", "paused", "cancelled"),
        "in_progress": ("blocked", "paused", "done", "cancelled"),
        "blocked": ("in_progress", "paused", "cancelled"),
        "paused": ("planned", "in_progress", "cancelled"),
        "done": ("in_progress",),
        "cancelled": ("planned",),
    }
    columns = ("tech_stack", "due")
    relations = {
        "entity": Relation("owned_by", "Entity the project belongs to."),
        "engagement": Relation("fulfills", "Engagement the project delivers."),
        "lead": Relation("led_by", "Who leads the project."),
        "organisation": Relation("in_organisation", "Organisation that does it."),
        "objective": Relation("serves", "Objective it serves."),
    }

    name: Name
    """What the project is called."""
    description_md: str | None = None
    """What it is for and what is in scope, in markdown."""
    status: Literal["planned", "in_progress", "blocked", "paused", "done", "cancelled"] = "planned"
    """Where the project stands."""
    priority: Priority = "backlog"
    """How soon it matters; at most three projects are in focus."""
    project_type: str | None = None
    """Kind of project, which decides what extra tools its agent gets."""
    tech_stack: list[str] = Field(default_factory=list)
    """Languages, frameworks and services it is built with."""
    repo_url: str | None = None
    """Where its code lives."""
    started_at: Moment | None = None
    """When work began."""
    due: Moment | None = None
    """When it is promised."""


class Feature(Node):
    """One discrete deliverable within a project, with a size and the criteria it is accepted by."""

    type = "feature"
    title_field = "title"
    over = ("done", "cancelled")
    moves = {
        "planned": ("in_progress", "blocked", "cancelled"),
        "in_progress": ("blocked", "review", "done", "cancelled", "planned"),
        "blocked": ("planned", "in_progress", "cancelled"),
        "review": ("in_progress", "done", "cancelled"),
        "done": ("in_progress",),
        "cancelled": ("planned",),
    }
    columns = ("complexity", "due")
    relations = {"project": Relation("has_feature", "Project the feature is in.", inward=True)}

    title: Name
    """What the feature is called."""
    description_md: str | None = None
    """What it does and for whom, in markdown."""
    status: Literal["planned", "in_progress", "blocked", "review", "done", "cancelled"] = "planned"
    """Where the feature stands."""
    priority: Priority = "backlog"
    """How soon it matters."""
    complexity: Literal["S", "M", "L", "XL"] | None = None
    """How large it is."""
    acceptance_criteria: str | None = None
    """What must be true for it to be accepted; missing while in progress is a gap."""
    due: Moment | None = None
    """When it is promised."""


class Task(Node):
    """One unit of work with exactly one driver and one accountable person."""

    type = "task"
    title_field = "title"
    over = ("done", "cancelled")
    moves = {
        "todo": ("in_progress", "blocked", "done", "cancelled"),
        "in_progress": ("todo", "blocked", "review", "done", "cancelled"),
        "blocked": ("todo", "in_progress", "cancelled"),
        "review": ("in_progress", "done", "cancelled"),
        "done": ("todo",),
        "cancelled": ("todo",),
    }
    columns = ("due", "estimate_minutes")
    relations = {
        "owner": Relation("driven_by", "Who does the task."),
        "accountable": Relation("accountable", "Who answers for the task."),
        "consulted": Relation("consulted", "Who is asked before it is done.", many=True),
        "informed": Relation("informed", "Who is told when it is done.", many=True),
        "feature": Relation("belongs_to", "Feature the task is for."),
        "project": Relation("has_task", "Project the task is in.", inward=True),
    }

    title: Name
    """What is to be done, in one line."""
    description: str | None = None
    """What the driver needs to know."""
    status: Literal["todo", "in_progress", "blocked", "review", "done", "cancelled"] = "todo"
    """Where the task stands."""
    priority: Priority = "backlog"
    """How soon it matters."""
    due: Moment | None = None
    """When it has to be done."""
    estimate_minutes: int | None = Field(default=None, ge=0)
    """How long it should take."""
    acceptance_criteria: str | None = None
    """What must be true for it to be done."""
    completed_at: Moment | None = None
    """When it was done."""
    dev_repo: str | None = None
    """Repository the change goes to."""
    dev_branch: str | None = None
    """Branch the change is made on."""
    dev_commit: str | None = None
    """Commit that holds the change."""
    dev_pull_request_url: str | None = None
    """Where the change is reviewed."""
    dev_test_command: str | None = None
    """Command that proves the change."""
    ops_system: str | None = None
    """System or host the work is done on."""
    ops_runbook_url: str | None = None
    """Procedure to follow."""
    ops_window_start: Moment | None = None
    """Earliest moment the work may touch the system."""
    ops_window_end: Moment | None = None
    """Latest moment the work may touch the system."""
    ops_recurrence: str | None = None
    """How often it comes back, as an RRULE."""


class Deliverable(Node):
    """Something that was shipped: an address, a commit, a finished document or a check that passed, as evidence of work."""

    type = "deliverable"
    timed = True
    title_field = "title"
    moves = {
        "draft": ("shipped",),
        "shipped": ("accepted", "rejected"),
        "accepted": ("rejected",),
        "rejected": ("draft", "shipped", "accepted"),
    }
    occurred = "shipped_at"
    columns = ("kind", "seen", "shipped_at")
    relations = {"for_work": Relation("fulfilled_by", "Mission, task, feature or promise it fulfils.", inward=True)}

    title: Name
    """What was delivered."""
    kind: Literal["url", "repo_commit", "document", "command", "word"] = "document"
    """What form it has; a command is one that exits 0, a word is a person's."""
    status: Literal["draft", "shipped", "accepted", "rejected"] = "draft"
    """Whether it has been delivered and taken."""
    url: str | None = None
    """Address where it can be seen."""
    commit: str | None = None
    """Commit that holds it."""
    path: str | None = None
    """File it is in, relative to its workspace."""
    sha256: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")
    """Hash of its content, so that what was delivered can be told from what is there now."""
    check: str | None = None
    """How a mission says that it is checked, such as `file:README.md`."""
    seen: str | None = None
    """What was found when it was last checked, by the system or by the person who looked."""
    shipped_at: Moment | None = None
    """When it was delivered."""


class Event(Node):
    """A mark on the timeline: a milestone, a development, an action or a change of state."""

    type = "event"
    timed = True
    title_field = "summary"
    occurred = "occurred_at"
    columns = ("kind", "impact", "occurred_at")
    relations = {
        "about": Relation("about", "What the event concerns."),
        "conversation": Relation("part_of", "Conversation it happened in."),
    }

    kind: Literal["milestone", "development", "action", "state_change"]
    """What sort of mark it is."""
    summary: str = ""
    """What happened, in one line."""
    body_md: str | None = None
    """What happened, at length, in markdown."""
    impact: Literal["low", "medium", "high"] | None = None
    """How much it matters."""
    occurred_at: Moment | None = None
    """When it happened."""


NODES: tuple[type[Node], ...] = (Project, Feature, Task, Deliverable, Event)

_WORK = ("project", "feature", "task", "mission")
_HINDRANCE = (*_WORK, "decision", "risk", "open_question", "question", "approval")
_PEOPLE = ("contact", "agent")

EDGES = (
    Edge("has_feature", "A feature of the project.", {"project": ("feature",)}, upward="source"),
    Edge(
        "has_task", "A task of the project or feature.", {"project": ("task",), "feature": ("task",)}, upward="source"
    ),
    Edge(
        "belongs_to",
        "The feature a task is primarily for.",
        {"task": ("feature",)},
        cardinality="one",
        by_hand=True,
        upward="target",
    ),
    Edge("fulfills", "The engagement a project delivers.", {"project": ("engagement",)}, upward="target"),
    Edge(
        "in_organisation",
        "The organisation it belongs to.",
        dict.fromkeys(("entity", "engagement"), ("organisation",)),
        cardinality="one",
        by_hand=True,
    ),
    Edge("in_organisation", "The organisation it belongs to.", {"project": ("organisation",)}, cardinality="one"),
    Edge("serves", "The objective it serves.", {"project": ("objective",)}, evidence=True),
    Edge("led_by", "Who leads it.", {"project": ("contact", "agent", "persona")}, cardinality="one", by_hand=True),
    Edge(
        "driven_by",
        "Who does the task (DACI driver).",
        {"task": _PEOPLE},
        cardinality="exactly_one",
        inverse="drives",
    ),
    Edge(
        "accountable",
        "Who answers for the task (DACI approver).",
        {"task": ("contact",)},
        cardinality="exactly_one",
        inverse="accountable_for",
        by_hand=True,
    ),
    Edge("consulted", "Who is asked before the task is done.", {"task": _PEOPLE}, by_hand=True),
    Edge("informed", "Who is told about the task.", {"task": ("contact",)}, by_hand=True),
    Edge(
        "blocked_by",
        "What keeps it from going on.",
        dict.fromkeys(("project", "feature", "task"), _HINDRANCE),
        inverse="blocks",
        by_hand=True,
    ),
    Edge(
        "blocks",
        "What it keeps from going on.",
        dict.fromkeys(("project", "feature", "task", "risk", "open_question"), _WORK),
        inverse="blocked_by",
        by_hand=True,
    ),
    Edge(
        "depends_on",
        "What has to be finished first.",
        dict.fromkeys(("project", "feature", "task"), (*_WORK, "deliverable", "decision")),
        by_hand=True,
    ),
    Edge("related_to", "Something worth knowing beside it.", {ANY: (ANY,)}, by_hand=True),
    Edge(
        "duplicates",
        "What it repeats.",
        {kind: (kind,) for kind in ("entity", "contact", "feature", "task", "document", "risk", "open_question")},
        inverse="duplicate_of",
        by_hand=True,
    ),
    Edge(
        "duplicate_of",
        "The one it is a copy of and that stays.",
        {kind: (kind,) for kind in ("entity", "contact", "feature", "task", "document", "risk", "open_question")},
        inverse="duplicates",
        by_hand=True,
    ),
    Edge("spawned", "Work that came out of it.", {"event": ("task", "mission")}, inverse="spawned_from", by_hand=True),
    Edge(
        "spawned_from",
        "What it came out of.",
        {
            "task": ("intent", "event", "interaction", "memo", "risk", "decision", "triage_decision", "mission"),
            "project": ("engagement", "mission", "intent"),
            "feature": ("intent", "interaction", "event", "mission"),
            "risk": ("event", "interaction", "memo", "document"),
            "open_question": ("event", "interaction", "memo", "document", "decision"),
            "decision": ("question", "open_question", "approval", "escalation", "review", "interaction", "event"),
        },
        evidence=True,
        inverse="spawned",
        by_hand=True,
    ),
    Edge(
        "fulfilled_by",
        "What proves that it was met.",
        dict.fromkeys(
            ("engagement", "project", "feature", "task"),
            ("interaction", "document", "event", "task", "deliverable", "memo", "agent_run"),
        ),
        evidence=True,
        inverse="fulfils",
        by_hand=True,
    ),
    Edge("part_of", "The larger whole it happened in.", {"event": ("conversation",)}, by_hand=True, upward="target"),
)
