"""The ask: what every type of thing that waits for somebody's word has in common, and the parts they are made of."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar, Literal

from pydantic import Field, JsonValue

from hq.graph.types import Moment, Node, Part

Severity = Literal["info", "warning", "critical"]
Life = Literal["open", "answered", "withdrawn", "expired"]
KEY = r"^[a-z][a-z0-9_-]{0,30}$"
"""What a way to answer can be called on every face: an option of an ask, and the button of a card."""


class Ask(Node):
    """Something that waits for somebody's word. Abstract: the catalogue has its subclasses."""

    drawn = ("addressed_to", "requested_by", "resolved_by")
    seen_by = ("requested_by", "addressed_to")
    life: ClassVar[Mapping[str, Life]]
    """Where each state stands in the one life."""
    says_field: ClassVar[str | None] = None
    """Which field tells more than the title."""
    deadline_field: ClassVar[str | None] = None
    """Which field says until when an answer is wanted."""
    by_field: ClassVar[str] = "decided_by"
    """Which field says who answered."""
    at_field: ClassVar[str] = "decided_at"
    """Which field says when."""
    withdrawn: ClassVar[str]
    """The state of one that was taken back."""
    expired: ClassVar[str | None] = None
    """The state of one whose time is over; nothing where it moves on instead."""
    deferred: ClassVar[str | None] = None
    """The state of one that was put off, where its type has a word for that."""

    defer_until: Moment | None = None
    """Until when it is put off: neither listed nor brought to mind before."""

    @classmethod
    def __pydantic_init_subclass__(cls, **more: Any) -> None:
        super().__pydantic_init_subclass__(**more)
        if set(cls.life) != set(cls.states()):
            raise TypeError(f"{cls.__name__}: states {sorted(cls.states())} but a life of {sorted(cls.life)}")

    @classmethod
    def open_states(cls) -> tuple[str, ...]:
        return tuple(state for state, life in cls.life.items() if life == "open")

    @property
    def stands(self) -> Life:
        return self.life[getattr(self, self.state_field)]

    @property
    def decision(self) -> tuple[str | None, datetime | None]:
        """Who answered, and when."""
        return getattr(self, self.by_field), getattr(self, self.at_field)

    @property
    def until(self) -> datetime | None:
        return getattr(self, self.deadline_field) if self.deadline_field else None


class Option(Part):
    """One way to answer."""

    key: str
    """What to answer with."""
    label: str
    """What it means to the one who answers."""


class ActingOption(Option):
    """One way to answer that does something by itself."""

    verb: str | None = None
    """The verb that it calls."""
    args: dict[str, JsonValue] = Field(default_factory=dict)
    """With these arguments."""


class Target(Part):
    """A node as it was when the call was made."""

    id: str
    """The node's id."""
    sequence: int
    """Its version at that moment; a later one makes the approval stale."""
