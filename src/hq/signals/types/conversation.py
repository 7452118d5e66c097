"""Interactions, the conversations they are part of, and whose turn it is in each (seed 002 §9)."""

# (Node declares `moves` and `relations` as class variables; saying so again in every type would only be noise.)

from __future__ import annotations

from typing import Literal

from pydantic import Field

from hq.graph.types import Moment, Node, Relation

Channel = Literal[
    "email", "whatsapp", "phone", "meeting", "sms", "telegram", "chat", "voice", "web", "in_person", "note"
]
_ABOUT = Relation("about", "What it concerns.")


class Interaction(Node):
    """One thing said between people, or between people and the company: a mail, a message, a call, a meeting."""

    type = "interaction"
    timed = True
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
