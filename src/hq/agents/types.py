"""Agents, what they ran, thought and handed over, and what went wrong with them.

Seed 000 D, seed 001 §6, seed 002 §13, §19 and §20. Liveness and counters are kept by the machine, not here.
"""

# (Node declares `moves` and `relations` as class variables; saying so again in every type would only be noise.)

from __future__ import annotations

from typing import Literal

from pydantic import Field

from hq.graph.types import ANY, Edge, Moment, Name, Node, Part, Relation


class Agent(Node):
    """A persona in a seat with tools, a budget, a model policy and memory; configuration, never code."""

    type = "agent"
    drawn_by_people = ("embodies",)
    moves = {
        "active": ("paused", "frozen", "quarantined", "retired"),
        "paused": ("active", "retired"),
        "frozen": ("active", "retired"),
        "quarantined": ("active", "retired"),
        "retired": ("active",),
    }
    columns = ("kind", "role", "model", "cost_tier")
    unsearched = (
        "model",
        "model_triggers",
        "workspace",
        "tools",
        "subagents",
        "scopes",
        "owns",
        "never",
        "write_paths",
        "beats",
        "outbox_topics",
        "version",
    )
    relations = {
        "persona": Relation("embodies", "Persona the agent is."),
        "organisation": Relation("in_organisation", "Organisation the agent works in."),
        "project": Relation("works_on", "Project a project agent is for."),
    }

    name: Name
    """What the agent is called, such as `chief` or `FORGE`."""
    kind: Literal["ceo", "operator", "team", "project", "subagent"] = "team"
    """What sort of agent it is; the CEO faces outward, the operator inward."""
    role: str
    """What it does, such as `Research Analyst`."""
    description: str | None = None
    """When to use it, for whoever picks an agent."""
    status: Literal["active", "paused", "frozen", "quarantined", "retired"] = "active"
    """Whether it may work: paused by a person, frozen by its budget, quarantined by the watchdog."""
    model: str | None = None
    """Default model; nothing means the company's."""
    model_triggers: list[str] = Field(default_factory=list)
    """Conditions under which a turn goes to the strongest model, such as `customer_artifact`."""
    cost_tier: Literal["low", "medium", "high"] | None = None
    """How expensive it is to use."""
    temperature: float | None = Field(default=None, ge=0, le=2)
    """Sampling temperature, where its model takes one."""
    max_tokens: int | None = Field(default=None, ge=1)
    """Longest reply, in tokens."""
    workspace: str | None = None
    """Directory of its markdown files, relative to the company's files."""
    tools: list[str] = Field(default_factory=list)
    """Tools it has beyond the base set."""
    subagents: list[str] = Field(default_factory=list)
    """Sub-agents it may start."""
    max_subagents: int = Field(default=2, ge=0)
    """How many sub-agents it may run at once."""
    scopes: list[str] = Field(default_factory=list)
    """What it may do, such as `write-graph` or `draft-outbound`."""
    owns: list[str] = Field(default_factory=list)
    """Verbs it may change things with, as patterns such as `entity.*`; who does not own them asks who does."""
    never: list[str] = Field(default_factory=list)
    """Verbs it never calls, whoever owns them; `effect:*` is everything that reaches outside."""
    write_paths: list[str] = Field(default_factory=list)
    """Paths it may write to, as patterns."""
    beats: list[str] = Field(default_factory=list)
    """When it wakes by itself, as cron expressions in the company's time zone."""
    outbox_topics: list[str] = Field(default_factory=list)
    """Events that wake it."""
    takes_messages: bool = True
    """Whether a message wakes it."""
    warm_window_seconds: int = Field(default=0, ge=0)
    """How long it stays warm after its work is done."""
    daily_usd_soft: float | None = Field(default=None, ge=0)
    """Spend per day at which it is warned."""
    daily_usd_hard: float | None = Field(default=None, ge=0)
    """Spend per day at which it freezes."""
    tokens_per_run_cap: int | None = Field(default=None, ge=1)
    """Tokens one run may use."""
    max_turns_per_query: int | None = Field(default=None, ge=1)
    """Turns one run may take."""
    opus_turns_per_day_cap: int | None = Field(default=None, ge=0)
    """Turns per day on the strongest model."""
    version: str | None = None
    """Which version of its files this is: a hash over all of them but MEMORY.md."""


class AgentRun(Node):
    """One tool-calling run of an agent, or of a disposable worker; its artifacts are files, its calls are rows."""

    type = "agent_run"
    title_field = "task"
    moves = {
        "running": ("success", "failed", "timeout", "cancelled"),
        "success": (),
        "failed": (),
        "timeout": (),
        "cancelled": (),
    }
    occurred = "started_at"
    columns = ("kind", "model", "cost_usd", "started_at")
    relations = {
        "agent": Relation("run_by", "Agent that ran."),
        "session": Relation("part_of", "Session or conversation it was part of."),
        "mission": Relation("for_mission", "Mission it worked on."),
        "parent": Relation("spawned_by", "Run that started it."),
    }

    task: str = Field(min_length=1)
    """What it was to do."""
    kind: Literal["supervisor", "agent", "subagent", "worker"] = "agent"
    """What sort of run it was."""
    status: Literal["running", "success", "failed", "timeout", "cancelled"] = "running"
    """How it ended, as the system saw it, never as the model says."""
    task_id: str | None = None
    """Groups every action of one task, sub-agents included."""
    worker_id: str | None = None
    """Name of its artifact directory, once it has one."""
    model: str | None = None
    """Model it used."""
    summary: str | None = Field(default=None, max_length=150)
    """What came out, in at most 150 characters; derived, for display only."""
    result: str | None = None
    """What it answered; the canonical copy is its result file."""
    error: str | None = None
    """What went wrong, as the system saw it."""
    tokens_used: int | None = Field(default=None, ge=0)
    """Tokens it used in all, said once at the end."""
    cost_usd: float | None = Field(default=None, ge=0)
    """What it cost; nothing means unpriced."""
    duration_ms: int | None = Field(default=None, ge=0)
    """How long it took."""
    started_at: Moment | None = None
    """When it began."""
    completed_at: Moment | None = None
    """When it ended."""


class AgentSession(Node):
    """One lifecycle of an agent on a mission, message or beat: made when it wakes, closed when its work is done."""

    type = "agent_session"
    title_field = "trigger_summary"
    moves = {"open": ("closed", "failed"), "closed": (), "failed": ()}
    occurred = "started_at"
    columns = ("trigger_kind", "model_used", "cost_usd", "started_at")
    relations = {
        "agent": Relation("run_by", "Agent whose session it is."),
        "mission": Relation("for_mission", "Mission it worked on."),
        "conversation": Relation("part_of", "Conversation it is part of."),
    }

    trigger_kind: Literal["beat", "outbox", "dm", "mission", "spawn"]
    """What woke the agent: a schedule, an event, a message, a mission, or another agent."""
    trigger_summary: str = ""
    """What woke the agent, in one line."""
    status: Literal["open", "closed", "failed"] = "open"
    """Whether it was closed properly; whether it is alive now only the machine knows."""
    started_at: Moment | None = None
    """When it began."""
    ended_at: Moment | None = None
    """When it ended."""
    turns_taken: int | None = Field(default=None, ge=0)
    """Turns it took, said once at the end."""
    cost_usd: float | None = Field(default=None, ge=0)
    """What it cost, said once at the end; nothing means unpriced."""
    model_used: str | None = None
    """Model it mostly used."""
    task_summary_md: str | None = None
    """What the session did, in short."""
    snapshot_md: str | None = None
    """What the agent wanted its next session to remember."""
    reason_closed: str | None = None
    """Why it was closed, from the task-complete sentinel or the watchdog."""
    memory_entry_count: int | None = Field(default=None, ge=0)
    """How many memories it wrote; zero needs a reason."""


class AgentHandoverMemo(Node):
    """What one session leaves to the next one of the same agent."""

    type = "agent_handover_memo"
    title_field = "body_md"
    relations = {
        "session": Relation("part_of", "Session that wrote it."),
        "agent": Relation("authored_by", "Agent that wrote it."),
    }

    body_md: str = Field(min_length=1)
    """The memo, 200 to 400 words a person can read."""
    open_tasks: list[str] = Field(default_factory=list)
    """Ids of the tasks that were open at that moment."""
    open_subscriptions: list[str] = Field(default_factory=list)
    """Events it was waiting for at that moment."""
    pending_proposals: list[str] = Field(default_factory=list)
    """Ids of its proposals that were undecided at that moment."""


class ReasoningTrace(Node):
    """One model call that something rests on: what went in, what came out."""

    type = "reasoning_trace"
    title_field = "purpose"
    occurred = "called_at"
    columns = ("model", "canary_id", "cost_usd", "called_at")
    relations = {"run": Relation("part_of", "Run or session it was made in.")}

    purpose: Name
    """What the call was for."""
    model: str | None = None
    """Model that answered."""
    inputs_md: str | None = None
    """What went in."""
    output_md: str | None = None
    """What came out."""
    prompt_version: str | None = None
    """Version of the prompt that was used."""
    canary_id: str | None = None
    """Canary the call took part in."""
    llm_call_id: str | None = None
    """Row of the call in the log of model calls."""
    tokens_in: int | None = Field(default=None, ge=0)
    """Tokens that went in."""
    tokens_out: int | None = Field(default=None, ge=0)
    """Tokens that came out."""
    cost_usd: float | None = Field(default=None, ge=0)
    """What it cost; nothing means unpriced."""
    latency_ms: int | None = Field(default=None, ge=0)
    """How long it took."""
    called_at: Moment | None = None
    """When it was called."""


class AgentIncident(Node):
    """Something the watchdog found wrong with an agent, and what it did about it."""

    type = "agent_incident"
    title_field = "summary"
    moves = {
        "open": ("acknowledged", "resolved"),
        "acknowledged": ("resolved",),
        "resolved": ("open",),
    }
    occurred = "detected_at"
    columns = ("kind", "severity", "action_taken", "detected_at")
    relations = {"agent": Relation("about", "Agent it happened to.")}

    kind: Literal[
        "heartbeat",
        "activity_timeout",
        "loop",
        "budget",
        "error_rate",
        "stop_integrity",
        "memory_pool",
        "subagent_leak",
        "rss_drift",
        "crash",
        "cross_scope_violation",
        "capture_gap",
    ]
    """What was found."""
    severity: Literal["soft", "medium", "hard", "critical"]
    """How strongly the watchdog responded."""
    status: Literal["open", "acknowledged", "resolved"] = "open"
    """Whether it is dealt with."""
    summary: Name
    """What happened, in one line."""
    detail_md: str | None = None
    """What was measured, in markdown."""
    action_taken: Literal["checked_in", "stopped", "restarted", "quarantined"] | None = None
    """What the watchdog did."""
    detected_at: Moment | None = None
    """When it was found."""
    resolved_at: Moment | None = None
    """When it was over."""


class Collaboration(Part):
    """How two agents work together, and who allowed it."""

    relationship: Literal["peer", "subordinate", "specialist"] = "peer"
    """What the other agent is to this one."""
    granted_by: str = "ceo"
    """Who allowed it."""


NODES: tuple[type[Node], ...] = (
    Agent,
    AgentRun,
    AgentSession,
    AgentHandoverMemo,
    ReasoningTrace,
    AgentIncident,
)

EDGES = (
    Edge("embodies", "The persona an agent is.", {"agent": ("persona",)}, cardinality="one"),
    Edge(
        "succeeds",
        "The agent whose work it continues.",
        {"agent": ("agent",)},
        cardinality="one",
        inverse="succeeded_by",
    ),
    Edge("works_on", "The project an agent is for.", {"agent": ("project",)}, cardinality="one"),
    Edge("acts_as", "The producer its facts are attributed to.", {"agent": ("producer",)}, cardinality="one"),
    Edge(
        "in_organisation",
        "The organisation it belongs to.",
        {"agent": ("organisation",)},
        cardinality="one",
    ),
    Edge("collaborates_with", "An agent it may call on.", {"agent": ("agent",)}, props=Collaboration),
    Edge("run_by", "The agent that ran.", {"agent_run": ("agent",), "agent_session": ("agent",)}, cardinality="one"),
    Edge(
        "spawned_by",
        "The run that started it.",
        {"agent_run": ("agent_run", "agent_session"), "agent_session": ("agent_run", "agent_session")},
        cardinality="one",
        evidence=True,
    ),
    Edge(
        "for_mission",
        "The mission it is for.",
        {"agent_run": ("mission",), "agent_session": ("mission",)},
        cardinality="one",
        evidence=True,
    ),
    Edge(
        "part_of",
        "The larger whole it happened in.",
        {
            "agent_run": ("conversation", "agent_session"),
            "agent_session": ("conversation",),
            "agent_handover_memo": ("agent_session",),
            "reasoning_trace": ("agent_run", "agent_session"),
        },
    ),
    Edge("authored_by", "Who or what wrote it.", {"agent_handover_memo": ("agent", "agent_session")}, evidence=True),
    Edge("touched", "What a run read or wrote.", {"agent_run": (ANY,), "agent_session": (ANY,)}),
    Edge("input_to", "What the reasoning was given.", {"reasoning_trace": (ANY,)}, evidence=True),
    Edge("decided", "What was written because of it.", {"reasoning_trace": (ANY,)}, inverse="decided_by"),
    Edge("about", "What it concerns.", {"agent_incident": ("agent", "agent_session", "agent_run", "mission")}),
    Edge(
        "linked_trace",
        "The reasoning in which it happened.",
        {"agent_incident": ("reasoning_trace",)},
        evidence=True,
    ),
)
