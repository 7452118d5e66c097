"""Types, and how they are declared: node types with states, edge types with ends and cardinality.

A room lists its own in `types.py`; `catalogue.py` puts them together. Nothing here touches the database.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar, Literal, get_args, get_origin

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

Cardinality = Literal["many", "one", "exactly_one"]
Redaction = Literal["none", "personal", "secret"]
Priority = Literal["focus", "now", "next", "backlog"]

ANY = "*"


def _aware(value: datetime) -> datetime:
    if value.tzinfo is None:
        value = value.replace(tzinfo=UTC)
    if not 1900 <= value.year <= 2200:
        raise ValueError("the year must be between 1900 and 2200")
    return value


Moment = Annotated[datetime, AfterValidator(_aware)]
"""A time with its zone (UTC where none is said); the only kind of time that is stored."""

Name = Annotated[str, StringConstraints(min_length=1, max_length=500, strip_whitespace=True)]
"""What a person calls a thing: one line, never blank."""

Share = Annotated[float, Field(ge=0, le=1)]
"""A part of a whole: a confidence, a salience, a fraction."""


@dataclass(frozen=True)
class Relation:
    """An edge that a noun's verbs take as an argument and filter by, such as `--owner`."""

    edge: str
    meaning: str
    inward: bool = False
    """The edge points at this node instead of away from it."""
    many: bool = False
    """Several may be given at once."""


class Part(BaseModel):
    """A typed piece inside a node's properties, or the properties of an edge."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False, defer_build=True)


class Node(BaseModel):
    """The properties of one kind of node. Subclasses declare fields; the rest is class-level."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False, defer_build=True)

    type: ClassVar[str]
    """The word for it everywhere: SQL, Python, CLI, URL, event."""
    plural: ClassVar[str | None] = None
    title_field: ClassVar[str] = "name"
    """Which field names the thing to a person; the slug is made of it."""
    unsearched: ClassVar[tuple[str, ...]] = ()
    """Fields that hold settings rather than what somebody wrote."""
    state_field: ClassVar[str] = "status"
    """Which field holds the state, projected to the column `status`."""
    moves: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Allowed transitions of the state: from each state, the states it may go to."""
    occurred: ClassVar[str | None] = None
    """Which field is projected to the column `occurred_at`."""
    numbered: ClassVar[bool] = False
    """Gets a small number per type and tenant beside its id, and the slug ends with it (seed 003)."""
    slug_prefix: ClassVar[str | None] = None
    """A field whose value comes first in the slug: `{purpose}-{name}-{number}`."""
    redaction: ClassVar[Redaction] = "none"
    relations: ClassVar[Mapping[str, Relation]] = {}
    drawn: ClassVar[tuple[str, ...]] = ()
    """Links from it that follow from what happens to it, and on which decisions rest: nobody draws them by hand."""
    seen_by: ClassVar[tuple[str, ...] | None] = None
    """Nothing: the whole company sees one. Otherwise only who made it, those to whom these links of it lead, who leads
    them, and people."""
    holds_back: ClassVar[tuple[str, ...]] = ()
    """States in which it holds back whoever acts for it, or for what belongs to it."""
    over: ClassVar[tuple[str, ...]] = ()
    """States in which it is over, such as done or retired; to rooms below, in SQL, `graph.over(type, status)`."""
    in_hand: ClassVar[tuple[str, ...]] = ()
    """States in which whoever has it works on it, or is about to; in SQL `graph.in_hand(type, status)`."""
    means: ClassVar[Literal["actor", "work", "permission", "seat", "holding", "unit"] | None] = None
    """What it is to rooms below, which know it by that word alone, in SQL `graph.means(type, …)`: who acts under its name
    (`agent:<slug>`), what sessions work on, what stands for a call that waits for a yes, where somebody sits, that they sit there, and to what
    the seats belong."""
    timed: ClassVar[bool] = False
    """Something that happened: `hq timeline` tells it."""
    columns: ClassVar[tuple[str, ...]] = ()
    """Fields a list shows beside slug, title, status and priority."""

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        if not hasattr(cls, "type"):
            return  # what several types have in common is none itself
        if cls.title_field not in cls.model_fields:
            raise TypeError(f"{cls.__name__} has no field {cls.title_field!r} to be named by")
        declared = cls.states()
        if set(declared) != set(cls.moves):
            raise TypeError(f"{cls.__name__}: states {sorted(declared)} but moves from {sorted(cls.moves)}")
        if unknown := {to for ends in cls.moves.values() for to in ends} - set(declared):
            raise TypeError(f"{cls.__name__} moves to unknown states {sorted(unknown)}")
        for word in ("holds_back", "over", "in_hand"):
            if unknown := set(getattr(cls, word)) - set(declared):
                raise TypeError(f"{cls.__name__}.{word} names unknown states {sorted(unknown)}")

    @classmethod
    def states(cls) -> tuple[str, ...]:
        """Every state, in the order declared; empty for a type without states."""
        return choices(cls, cls.state_field)

    @classmethod
    def may_move(cls, from_: str | None, to: str) -> bool:
        return from_ == to or from_ is None or to in cls.moves.get(from_, ())


def choices(model: type[BaseModel], name: str) -> tuple[str, ...]:
    """The values a field of a closed choice may take, or nothing if it is open."""
    info = model.model_fields.get(name)
    return _literals(info.annotation) if info else ()


def _literals(annotation: Any) -> tuple[str, ...]:
    if get_origin(annotation) is Literal:
        return tuple(get_args(annotation))
    for inner in get_args(annotation):
        if found := _literals(inner):
            return found
    return ()


@dataclass(frozen=True)
class Edge:
    """A kind of link: which types it leaves, which it may reach from each, and how many per source."""

    name: str
    meaning: str
    ends: Mapping[str, tuple[str, ...]]
    """From each source type, the target types; `ANY` stands for every type on either side."""
    cardinality: Cardinality = "many"
    inverse: str | None = None
    """What the link is called read from the other end."""
    evidence: bool = False
    """`hq why` walks it: the target is a reason for the source."""
    by_hand: bool = False
    """Agents, too, draw and cut it: it says what somebody knows, and nothing that anybody may do follows from it."""
    upward: Literal["target", "source"] | None = None
    """Which end is the whole: the other is part of it or done for it, and who acts for that acts for this, too."""
    means: (
        Literal["does", "gives", "part", "resumes", "said_in", "said_by", "plays", "holder", "seat_of", "within"] | None
    ) = None
    """What it is to rooms below, in SQL `graph.means(type, …)`: who does some work and who gave it, of what it is a part and what it
    goes on with; where something was said, and by whom; whom an actor plays, who holds a seat and which, and to what that belongs."""
    upward_while: str | None = None
    """Only while its source is in that state."""
    props: type[BaseModel] | None = field(default=None)

    @property
    def slot(self) -> bool:
        """One target at a time: a new one takes the place of the one before."""
        return self.cardinality != "many"

    def joins(self, source: str, target: str) -> bool:
        targets = self.ends.get(source, ()) + self.ends.get(ANY, ())
        return ANY in targets or target in targets
