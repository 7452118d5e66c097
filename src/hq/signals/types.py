"""Types of signals: interactions, intents, expectations, turns, alerts, and who said so.

Seed 002 §9 (communication, signal and value layer), §11 and §12.
"""

# (Node declares `moves` and `relations` as class variables; saying so again in every type would only be noise.)

from __future__ import annotations

from typing import Literal

from pydantic import Field

from hq.graph.types import ANY, Edge, Moment, Name, Node, Part, Priority, Relation

Channel = Literal[
    "email", "whatsapp", "phone", "meeting", "sms", "telegram", "chat", "voice", "web", "in_person", "note"
]
Urgency = Literal["blocker", "impactful", "nice"]

_ABOUT = Relation("about", "What it concerns.")


class Interaction(Node):
    """One thing said between people, or between people and the company: a mail, a message, a call, a meeting."""

    type = "interaction"
    title_field = "subject"
    moves = {
        "unprocessed": ("enriched", "triaged", "processed", "ignored"),
        "enriched": ("unprocessed", "triaged", "processed", "ignored"),
        "triaged": ("unprocessed", "enriched", "processed", "ignored"),
        "processed": ("unprocessed",),
        "ignored": ("unprocessed",),
    }
    occurred = "occurred_at"
    redaction = "personal"
    columns = ("channel", "direction", "occurred_at")
    relations = {
        "from_": Relation("from", "Who said it."),
        "to": Relation("to", "Who it was said to.", many=True),
        "cc": Relation("cc", "Who got a copy.", many=True),
        "participant": Relation("has_participant", "Who took part.", many=True),
        "entity": _ABOUT,
        "conversation": Relation("part_of", "Conversation it belongs to."),
    }

    channel: Channel
    """How it reached the company or left it."""
    direction: Literal["inbound", "outbound", "internal"] = "inbound"
    """Which way it went."""
    status: Literal["unprocessed", "enriched", "triaged", "processed", "ignored"] = "unprocessed"
    """How far it has been read, understood and acted on."""
    subject: str = ""
    """Its subject line, or what it was about in a few words."""
    body: str = ""
    """What was said, as text."""
    summary_md: str | None = None
    """What was said, in short, where the text is long."""
    thread_id: str | None = None
    """What the channel calls the thread it is in."""
    language: str | None = None
    """Language tag of the text."""
    occurred_at: Moment | None = None
    """When it was said."""
    duration_seconds: int | None = Field(default=None, ge=0)
    """How long a call or meeting took."""


class Conversation(Node):
    """A thread that holds things together: a chat, a mission's talk, a meeting, an e-mail thread, a supervisor run."""

    type = "conversation"
    title_field = "title"
    moves = {
        "active": ("summarized", "archived"),
        "summarized": ("active", "archived"),
        "archived": ("active",),
    }
    occurred = "started_at"
    redaction = "personal"
    columns = ("kind", "started_at")
    relations = {
        "participant": Relation("has_participant", "Who takes part.", many=True),
        "entity": _ABOUT,
    }

    title: str = ""
    """What the conversation is about."""
    kind: Literal["chat", "supervisor", "mission", "agent", "meeting", "email_thread", "messaging", "call"] = "chat"
    """What is held together; a `chat` is the founder's."""
    status: Literal["active", "summarized", "archived"] = "active"
    """Whether it goes on."""
    thread_id: str | None = None
    """What the channel calls the thread."""
    started_at: Moment | None = None
    """When it began."""
    ended_at: Moment | None = None
    """When it ended."""


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


class TurnState(Node):
    """Whose turn it is in one conversation, and since when."""

    type = "turn_state"
    title_field = "subject"
    state_field = "state"
    moves = {
        "theirs": ("ours", "third_party", "blocked", "closed"),
        "ours": ("theirs", "third_party", "blocked", "closed"),
        "third_party": ("theirs", "ours", "blocked", "closed"),
        "blocked": ("theirs", "ours", "third_party", "closed"),
        "closed": ("theirs", "ours", "third_party"),
    }
    occurred = "last_turn_at"
    columns = ("last_turn_at", "overdue_at")
    relations = {
        "conversation": Relation("turn_of", "Conversation whose turn it is."),
        "last_turn_by": Relation("last_turn_by", "Who spoke last."),
    }

    state: Literal["theirs", "ours", "third_party", "blocked", "closed"]
    """Whose turn it is."""
    subject: str = ""
    """What the conversation is about, so that a list of turns reads by itself."""
    last_turn_at: Moment | None = None
    """When somebody last spoke."""
    turnaround_sla_hours: int | None = Field(default=None, ge=1)
    """Hours to answer in, inherited from the engagement."""
    overdue_at: Moment | None = None
    """When our answer is late; set while it is our turn."""


class TriageValues(Part):
    """What triage would do, or did, with an interaction."""

    action: str | None = None
    """What to do, such as `create_task` or `ignore`."""
    title: str | None = None
    """Title of the task."""
    priority: Priority | None = None
    """How soon it matters."""
    driver: str | None = None
    """Slug of who should do it."""
    about: str | None = None
    """Slug of what it concerns."""
    due: Moment | None = None
    """When it has to be done."""


class TriageDecision(Node):
    """What triage proposed for an interaction, kept beside what was really written."""

    type = "triage_decision"
    title_field = "summary"
    moves = {
        "proposed": ("applied", "overridden", "dismissed"),
        "applied": ("overridden",),
        "overridden": (),
        "dismissed": ("proposed",),
    }
    occurred = "decided_at"
    columns = ("overridden_fields", "decided_at")
    relations = {"interaction": Relation("spawned_from", "Interaction that was triaged.")}

    summary: Name
    """What is to be done, in one line."""
    status: Literal["proposed", "applied", "overridden", "dismissed"] = "proposed"
    """Whether the proposal was taken as it was."""
    proposed: TriageValues
    """What triage proposed."""
    actual: TriageValues | None = None
    """What was written in the end."""
    overridden_fields: list[str] = Field(default_factory=list)
    """Fields somebody changed."""
    rationale: str | None = None
    """Why triage proposed it."""
    rule: str | None = None
    """Rule or prompt version that proposed it."""
    decided_at: Moment | None = None
    """When it was applied, overridden or dismissed."""


class Alert(Node):
    """A warning by monitoring or a background check, routed by how bad it is."""

    type = "alert"
    moves = {
        "firing": ("acknowledged", "silenced", "resolved"),
        "acknowledged": ("firing", "silenced", "resolved"),
        "silenced": ("firing", "resolved"),
        "resolved": ("firing",),
    }
    occurred = "starts_at"
    columns = ("severity", "summary", "starts_at")
    relations = {"about": _ABOUT}

    name: Name
    """Which rule fired."""
    severity: Literal["info", "warning", "critical"] = "warning"
    """How bad it is, which decides who is told and how."""
    status: Literal["firing", "acknowledged", "silenced", "resolved"] = "firing"
    """Whether it still fires."""
    summary: str = ""
    """What is wrong, in one line."""
    description_md: str | None = None
    """What is wrong and what can be done, in markdown."""
    labels: dict[str, str] = Field(default_factory=dict)
    """Labels it was fired with."""
    fingerprint: str | None = None
    """What makes it the same alert when it fires again."""
    generator_url: str | None = None
    """Where it was fired from."""
    starts_at: Moment | None = None
    """When it began."""
    ends_at: Moment | None = None
    """When it was over."""


NODES: tuple[type[Node], ...] = (
    Interaction,
    Conversation,
    Intent,
    Expectation,
    TurnState,
    TriageDecision,
    Alert,
)

_SPEAKERS = ("contact", "entity", "agent", "persona")
_SUBJECTS = ("entity", "contact", "engagement", "project", "feature", "task", "invoice", "document", "mission", "agent")
_PROOF = ("interaction", "document", "event", "task", "deliverable", "memo")

EDGES = (
    Edge("from", "Who said it.", {"interaction": _SPEAKERS}, cardinality="one", by_hand=True),
    Edge("to", "Who it was said to.", {"interaction": _SPEAKERS}, by_hand=True),
    Edge("cc", "Who got a copy.", {"interaction": _SPEAKERS}, by_hand=True),
    Edge("has_participant", "Who took part.", {"interaction": _SPEAKERS, "conversation": _SPEAKERS}, by_hand=True),
    Edge("has_attachment", "A file that came with it.", {"interaction": ("document",)}, by_hand=True),
    Edge("part_of", "The larger whole it happened in.", {"interaction": ("conversation",)}, by_hand=True),
    Edge(
        "about",
        "What it concerns.",
        {
            **dict.fromkeys(("interaction", "conversation", "intent", "expectation"), _SUBJECTS),
            "alert": ("agent", "producer", "project", "mission", "schedule", "organisation"),
        },
        by_hand=True,
    ),
    Edge(
        "extracted_from",
        "What it was read from.",
        {"intent": ("interaction",), "expectation": ("interaction", "document")},
        evidence=True,
        by_hand=True,
    ),
    Edge("addressed_to", "Who is asked.", {"intent": ("contact", "agent", "persona")}, by_hand=True),
    Edge(
        "fulfilled_by",
        "What proves that it was met.",
        {"intent": _PROOF, "expectation": _PROOF},
        evidence=True,
        inverse="fulfils",
        by_hand=True,
    ),
    Edge(
        "spawned",
        "Work that came out of it.",
        dict.fromkeys(("intent", "interaction", "alert"), ("task", "mission")),
        inverse="spawned_from",
        by_hand=True,
    ),
    Edge(
        "spawned_from",
        "What it came out of.",
        {
            "expectation": ("intent", "event", "interaction"),
            "triage_decision": ("interaction", "intent"),
            "alert": ("schedule", "agent_run"),
        },
        evidence=True,
        inverse="spawned",
        by_hand=True,
    ),
    Edge("owed_by", "Who owes it.", {"expectation": ("contact", "entity", "agent")}, by_hand=True),
    Edge("owed_to", "Who it is owed to.", {"expectation": ("contact", "entity", "agent")}, by_hand=True),
    Edge(
        "supersedes",
        "What it replaces.",
        {"expectation": ("expectation",), "intent": ("intent",)},
        evidence=True,
        inverse="superseded_by",
        by_hand=True,
    ),
    Edge(
        "superseded_by",
        "What replaced it.",
        {"expectation": ("expectation",), "intent": ("intent",)},
        inverse="supersedes",
        by_hand=True,
    ),
    Edge("turn_of", "The conversation whose turn it is.", {"turn_state": ("conversation",)}, cardinality="exactly_one"),
    Edge("last_turn_by", "Who spoke last.", {"turn_state": _SPEAKERS}, cardinality="one"),
    Edge("decided", "What was written because of it.", {"triage_decision": (ANY,)}, inverse="decided_by"),
)
