"""Reviews: decisions a machine was not sure enough of."""

# (Node declares `moves` and `relations` as class variables; saying so again in every type would only be noise.)

from __future__ import annotations

from typing import Literal

from pydantic import Field

from hq.asks.ask import Ask, Option
from hq.graph.types import Moment, Relation


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
    withdrawn, expired, deferred = "dismissed", "expired", "deferred"
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
    expires_at: Moment | None = None
    """When nobody needs the decision any more."""
    decided_by: str | None = None
    """Actor who decided."""
    decided_at: Moment | None = None
    """When it was decided."""
