"""The type of agents: members of the organisation that are no people.

Seed 000 D, seed 002 §13. Liveness and counters are kept by the machine, not here.
"""

# (Node declares `moves` and `relations` as class variables; saying so again in every type would only be noise.)

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from hq.door.names import Names
from hq.door.verb import Ref
from hq.graph.types import Edge, Name, Node, Part, Relation

AgentRef = Annotated[Ref, Names("agent")]
"""An agent by its slug, id or name."""


class Agent(Node):
    """A persona in a seat with tools, a budget, a model policy and memory; configuration, never code."""

    type = "agent"
    means = "actor"
    holds_back = ("paused", "quarantined")
    over = ("retired",)
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
        "tool_actions",
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
    tool_actions: dict[str, list[str]] = Field(default_factory=dict)
    """Of some nouns among its tools the actions it has; `read` is what only looks."""
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
    daily_tokens_hard: int | None = Field(default=None, ge=1)
    """Tokens per day at which it freezes; what holds a model without a price."""
    tokens_per_run_cap: int | None = Field(default=None, ge=1)
    """Tokens one run may use."""
    max_turns_per_query: int | None = Field(default=None, ge=1)
    """Turns one run may take."""
    opus_turns_per_day_cap: int | None = Field(default=None, ge=0)
    """Turns per day on the strongest model."""
    version: str | None = None
    """Which version of its files this is: a hash over all of them but MEMORY.md."""


class Collaboration(Part):
    """How two agents work together, and who allowed it."""

    relationship: Literal["peer", "subordinate", "specialist"] = "peer"
    """What the other agent is to this one."""
    granted_by: str = "ceo"
    """Who allowed it."""


NODES: tuple[type[Node], ...] = (Agent,)

EDGES = (
    Edge(
        "embodies",
        "The persona an agent is.",
        {"agent": ("persona",)},
        cardinality="one",
        upward="target",
        means="plays",
    ),
    Edge(
        "succeeds",
        "The agent whose work it continues.",
        {"agent": ("agent",)},
        cardinality="one",
        inverse="succeeded_by",
    ),
    Edge("works_on", "The project an agent is for.", {"agent": ("project",)}, cardinality="one", upward="target"),
    Edge("acts_as", "The producer its facts are attributed to.", {"agent": ("producer",)}, cardinality="one"),
    Edge(
        "in_organisation",
        "The organisation it belongs to.",
        {"agent": ("organisation",)},
        cardinality="one",
    ),
    Edge("collaborates_with", "An agent it may call on.", {"agent": ("agent",)}, props=Collaboration),
)
