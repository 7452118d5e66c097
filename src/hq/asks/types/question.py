"""Questions: what an agent needs to know before it can go on."""

# (Node declares `moves` and `relations` as class variables; saying so again in every type would only be noise.)

from __future__ import annotations

from typing import Literal

from pydantic import Field

from hq.asks.ask import ActingOption, Ask, Severity
from hq.door.verb import Gate
from hq.graph.types import Moment, Relation


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
    risk: Gate = "internal"
    """What the answer lets happen, by the classes of the risk table: it says who may answer."""
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
    because: list[str] = Field(default_factory=list)
    """What an agent's answer rests on: memories and decisions, by slug."""
    answered_by: str | None = None
    """Actor who answered."""
    answered_at: Moment | None = None
    """When it was answered."""
    deadline: Moment | None = None
    """When the answer is needed."""
