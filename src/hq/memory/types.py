"""Types of memory: the company's (seed 000 A), an agent's entries (seed 002 §13.2), summaries of talk."""

# (Node declares `moves` and `relations` as class variables; saying so again in every type would only be noise.)

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from hq.graph.types import Edge, Moment, Name, Node, Relation, Share

MemoryKind = Literal["fact", "pattern", "preference", "anti_pattern", "watch_item"]

DECAY_AFTER_DAYS: dict[str, int | None] = {
    "fact": 30,
    "pattern": 90,
    "preference": 180,
    "anti_pattern": None,
    "watch_item": 30,
}
"""After how many days an entry that nobody confirmed is put away; None means never."""


class OrgMemory(Node):
    """Something the company knows: a decision, a preference, a fact, a lesson, or context. The CEO, the operator and people
    see all of it; an agent what it found itself and what was chosen for it, its seat or its organisation."""

    type = "org_memory"
    plural = "org_memories"
    title_field = "content"
    seen_by = ("curated_for",)
    moves = {
        "pending": ("active", "superseded", "rejected"),
        "active": ("superseded", "expired", "rejected"),
        "rejected": ("pending",),
        "superseded": ("active",),
        "expired": ("active",),
    }
    columns = ("category", "source", "expires_at")
    relations = {
        "about": Relation("about", "What it concerns."),
        "supersedes": Relation("supersedes", "Memory it replaces."),
        "curated_for": Relation("curated_for", "Whom it was chosen for.", many=True),
    }

    category: Literal["decision", "preference", "fact", "lesson_learned", "context"]
    """What sort of memory it is."""
    content: str = Field(min_length=1, max_length=4000)
    """What is remembered, in plain words."""
    source: str = Field(pattern=r"^(founder|ceo|system|agent:.+)$")
    """Where it comes from: `founder`, `ceo`, `agent:<slug>` or `system`."""
    status: Literal["pending", "active", "rejected", "superseded", "expired"] = "pending"
    """Whether it is used; what an agent or a program found stays pending until the CEO has looked at it."""
    expires_at: Moment | None = None
    """When it stops being true; nothing means never."""
    last_validated_at: Moment | None = None
    """When it was last confirmed, from which confidence decays."""
    slot_id: str | None = Field(default=None, max_length=200)
    """What the system keeps it up to date for, such as a budget; a newer value takes its place."""
    action_id: str | None = Field(default=None, max_length=80)
    """The call it follows from, as `hq action show` takes it."""


class Fact(Node):
    """One thing known of a subject, such as where somebody works: a slot that holds one value at a time."""

    type = "fact"
    title_field = "label"
    columns = ("subject", "relation", "value")
    relations = {"about": Relation("about", "The node the subject is.")}

    label: Name
    """Subject and relation, as they are shown."""
    subject: Name
    """Whom or what it is said of."""
    relation: Name
    """Which of its traits, such as employer or city."""
    value: str | None = Field(default=None, max_length=4000)
    """What holds; nothing means it is no longer known."""


class MemoryEntry(Node):
    """A distilled fact, pattern, preference, anti-pattern or thing to watch that an agent carries forward."""

    type = "memory_entry"
    plural = "memory_entries"
    title_field = "body_md"
    seen_by = ("remembered_by",)
    moves = {"active": ("superseded",), "superseded": ("active",)}
    columns = ("kind", "salience", "last_validated_at")
    relations = {
        "agent": Relation("remembered_by", "Whose memory it is."),
        "about": Relation("about", "What it concerns."),
        "session": Relation("created_in_session", "Session it was written in."),
    }

    kind: MemoryKind
    """What sort of memory it is."""
    body_md: str = Field(min_length=1, max_length=500)
    """What is remembered, concisely, in at most 500 characters."""
    status: Literal["active", "superseded"] = "active"
    """Whether it is used; put-away entries are archived, never deleted."""
    salience: Share = 0.5
    """How much it matters, from 0 to 1."""
    last_validated_at: Moment | None = None
    """When it was last confirmed."""
    decay_after_days: int | None = Field(default=None, ge=1)
    """After how many days without confirmation it is put away; unsaid it follows from the kind, null means never."""

    @model_validator(mode="before")
    @classmethod
    def _decay_by_kind(cls, given: Any) -> Any:
        if isinstance(given, dict) and "decay_after_days" not in given:
            return given | {"decay_after_days": DECAY_AFTER_DAYS.get(given.get("kind", ""))}
        return given


class ConversationSummary(Node):
    """What an older stretch of a conversation said, kept in place of its messages."""

    type = "conversation_summary"
    plural = "conversation_summaries"
    title_field = "summary"
    seen_by = ()
    columns = ("token_count", "message_count")
    relations = {"conversation": Relation("summarizes", "Conversation it sums up.")}

    summary: str = Field(min_length=1)
    """What was said."""
    messages_start: str
    """Id of the first message it covers."""
    messages_end: str
    """Id of the last message it covers."""
    message_count: int | None = Field(default=None, ge=1)
    """How many messages it stands for."""
    token_count: int = Field(default=0, ge=0)
    """How many tokens the summary has."""


NODES: tuple[type[Node], ...] = (OrgMemory, Fact, MemoryEntry, ConversationSummary)

_SUBJECTS = (
    "entity",
    "contact",
    "engagement",
    "project",
    "feature",
    "task",
    "mission",
    "organisation",
    "persona",
    "position",
    "agent",
    "skill",
)
_GROUNDS = (
    "interaction",
    "conversation",
    "reasoning_trace",
    "agent_session",
    "agent_run",
    "mission",
    "mission_memory",
    "question",
    "decision",
    "document",
)

EDGES = (
    Edge(
        "curated_for",
        "Whom it was chosen for, of what the company knows.",
        {"org_memory": ("agent", "persona", "position", "organisation")},
    ),
    Edge("about", "What it concerns.", {"org_memory": _SUBJECTS, "memory_entry": _SUBJECTS, "fact": _SUBJECTS}),
    Edge(
        "extracted_from",
        "What it was read from.",
        {"org_memory": _GROUNDS, "memory_entry": _GROUNDS, "fact": _GROUNDS},
        evidence=True,
    ),
    Edge(
        "validated_by",
        "The reasoning that confirmed it.",
        {"memory_entry": ("reasoning_trace",), "org_memory": ("reasoning_trace", "interaction", "conversation")},
        evidence=True,
    ),
    Edge(
        "remembered_by",
        "Whose memory it is.",
        {"memory_entry": ("agent", "persona", "position")},
        cardinality="one",
        inverse="remembers",
    ),
    Edge(
        "created_in_session",
        "The session it was written in.",
        {"memory_entry": ("agent_session",)},
        cardinality="one",
        evidence=True,
    ),
    Edge(
        "summarizes",
        "The conversation it sums up.",
        {"conversation_summary": ("conversation",)},
        cardinality="one",
        evidence=True,
    ),
    Edge(
        "supersedes",
        "What it replaces.",
        {"org_memory": ("org_memory",), "memory_entry": ("memory_entry",)},
        evidence=True,
        inverse="superseded_by",
    ),
    Edge(
        "superseded_by",
        "What replaced it.",
        {"org_memory": ("org_memory",), "memory_entry": ("memory_entry",)},
        inverse="supersedes",
    ),
)
