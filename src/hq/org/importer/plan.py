"""The plan of an import, before any of it is done: steps, who would be displaced, and everything that is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NotRequired, TypedDict, cast
from uuid import UUID

from hq.graph.records import Stored
from hq.json_types import Props
from hq.org.chart import Holding
from hq.org.document.yaml_tree import Fault


class ImportChange(TypedDict):
    """What an import makes or changes; of what is numbered, the number under its type's name."""

    change: Literal["create", "update"] | None
    type: str
    name: str
    organisation_id: NotRequired[int]
    position_id: NotRequired[int]
    role_id: NotRequired[int]
    persona_id: NotRequired[int]
    persona_assignment_id: NotRequired[int]
    fields: NotRequired[list[str]]


@dataclass
class ImportStep:
    """One node that is made or changed. Only what differs is in `props` and `links`."""

    type: str
    id: UUID
    name: str
    node: Stored[Any] | None = None
    """What is there already; none means that it is made."""
    number: int | None = None
    slug: str | None = None
    props: Props = field(default_factory=dict)
    links: dict[str, UUID | None] = field(default_factory=dict)
    restored: bool = False
    """It had been removed and comes back."""

    @property
    def change(self) -> str | None:
        if self.node is None:
            return "create"
        return "update" if self.props or self.links or self.restored else None

    def told(self) -> ImportChange:
        """The step for a preview."""
        row = {"change": self.change, "type": self.type, "name": self.name}
        if self.number or (self.node and self.node.number):
            row[f"{_ID.get(self.type, self.type)}_id"] = self.number or (self.node.number if self.node else None)
        if self.node is not None:
            row["fields"] = sorted([*self.props, *self.links, *(["restored"] if self.restored else [])])
        return cast("ImportChange", row)


_ID = {"position_assignment": "persona_assignment"}


@dataclass(frozen=True)
class Displaced:
    """Somebody sits where the document puts another."""

    line: int
    seat: str
    holding: Holding
    newcomer: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.seat} is held by {self.holding.persona.slug}, the document gives it to {self.newcomer}"


@dataclass
class ImportPlan:
    organisation: ImportStep | None = None
    roles: dict[UUID, ImportStep] = field(default_factory=dict)
    personas: dict[UUID, ImportStep] = field(default_factory=dict)
    positions: dict[UUID, ImportStep] = field(default_factory=dict)
    assignments: list[ImportStep] = field(default_factory=list)
    displaced: list[Displaced] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    warnings: list[Fault] = field(default_factory=list)
    intent: dict[str, list[str]] | None = None
    """The lists of its intent, if the document says any; those it does not name stay."""

    def steps(self) -> Iterator[ImportStep]:
        """In an order in which each can be made from those before."""
        yield from self.roles.values()
        if self.organisation:
            yield self.organisation
        yield from self.personas.values()
        yield from self.positions.values()
        yield from self.assignments

    def wrong(self, line: int, message: str) -> None:
        self.faults.append(Fault(line, message))
