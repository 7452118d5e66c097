"""Types of what agents ran, thought and handed over, and of what went wrong.

Seed 001 §6, seed 002 §13, §19 and §20. Liveness and counters are kept by the machine, not here.
"""

# (Node declares `moves` and `relations` as class variables; saying so again in every type would only be noise.)

from __future__ import annotations

from typing import Literal

from pydantic import Field

from hq.engine.sessions.trigger import TriggerKind
from hq.graph.types import ANY, Edge, Moment, Name, Node, Relation


class AgentRun(Node):
    """One tool-calling run of an agent, or of a disposable worker; its artifacts are files, its calls are rows."""

    type = "agent_run"
    title_field = "task"
    seen_by = ("run_by",)
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
    seen_by = ("run_by",)
    moves = {"open": ("closed", "failed"), "closed": (), "failed": ()}
    occurred = "started_at"
    columns = ("trigger_kind", "model_used", "cost_usd", "started_at")
    relations = {
        "agent": Relation("run_by", "Agent whose session it is."),
        "mission": Relation("for_mission", "Mission it worked on."),
        "conversation": Relation("part_of", "Conversation it is part of."),
    }

    trigger_kind: TriggerKind
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
    seen_by = ("authored_by",)
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
    seen_by = ()
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
    seen_by = ("about",)
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


NODES: tuple[type[Node], ...] = (
    AgentRun,
    AgentSession,
    AgentHandoverMemo,
    ReasoningTrace,
    AgentIncident,
)

EDGES = (
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
        upward="target",
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
