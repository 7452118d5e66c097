"""Records that the store hands out: a node or an edge as it stands in the graph, typed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Literal, NotRequired, TypedDict, TypeVar
from uuid import UUID

from hq.graph.types import Node
from hq.json_types import NodeItem, Props

N = TypeVar("N", bound=Node, covariant=True)


@dataclass(frozen=True)
class End:
    """As much of a node as a link needs to know."""

    id: UUID
    type: str
    slug: str


@dataclass(frozen=True)
class Stored(End, Generic[N]):
    """A node with everything the graph knows of it beside its own properties."""

    number: int | None
    title: str
    status: str | None
    priority: str | None
    occurred_at: datetime | None
    archived_at: datetime | None
    props: N
    tags: tuple[str, ...]
    producer_id: UUID
    owner_id: UUID | None
    external_source: str | None
    external_id: str | None
    valid_from: datetime
    valid_to: datetime | None
    created_at: datetime
    updated_at: datetime
    redaction_policy: str
    confidence: float | None
    taint: frozenset[str]
    seq: int
    action_id: UUID

    @property
    def over(self) -> bool:
        return self.status in self.props.over

    def brief(self) -> NodeItem:
        """What a list shows: enough to choose by, never the whole row."""
        row: NodeItem = {"slug": self.slug, "title": self.title}
        if self.props.moves:
            row["status"] = self.status
        if "priority" in type(self.props).model_fields:
            row["priority"] = self.priority
        dumped = self.props.model_dump(mode="json", include=set(self.props.columns))
        row |= {name: dumped.get(name) for name in self.props.columns if name not in row}
        return row | {"id": str(self.id), "updated_at": self.updated_at.isoformat()}

    def full(self) -> NodeItem:
        """Everything, with empty properties left out."""
        return {
            "slug": self.slug,
            "id": str(self.id),
            "type": self.type,
            **({"number": self.number} if self.number is not None else {}),
            "title": self.title,
            "props": {k: v for k, v in self.props.model_dump(mode="json").items() if v not in (None, "", [], {})},
            "tags": list(self.tags),
            "valid_from": self.valid_from.isoformat(),
            "valid_to": self.valid_to.isoformat() if self.valid_to else None,
            "created_at": self.created_at.isoformat(),
            "updated_at": self.updated_at.isoformat(),
            "archived_at": self.archived_at.isoformat() if self.archived_at else None,
            "confidence": self.confidence,
            "taint": sorted(self.taint),
            "external": f"{self.external_source}:{self.external_id}" if self.external_id else None,
            "version": self.seq,
        }


class LinkItem(TypedDict):
    """A link as it is told of the node it starts from."""

    edge: str
    direction: Literal["to", "from"]
    slug: str
    type: str
    title: str
    since: str
    until: NotRequired[str]
    props: NotRequired[Props]


@dataclass(frozen=True)
class NodeLink:
    """An edge as seen from one of its ends."""

    id: UUID
    type: str
    outward: bool
    other_id: UUID
    other_slug: str
    other_type: str
    other_title: str
    props: Props
    valid_from: datetime
    valid_to: datetime | None
    confidence: float | None
    taint: list[str]
    """Marks of the node at the other end."""

    def brief(self) -> LinkItem:
        item: LinkItem = {
            "edge": self.type,
            "direction": "to" if self.outward else "from",
            "slug": self.other_slug,
            "type": self.other_type,
            "title": self.other_title,
            "since": self.valid_from.isoformat(),
        }
        if self.valid_to:
            item["until"] = self.valid_to.isoformat()
        if self.props:
            item["props"] = self.props
        return item


@dataclass(frozen=True, slots=True)
class NodeChange:
    """A change point of an item, and how long it was believed."""

    seq: int
    op: str
    actor: str
    reason: str
    recorded_at: datetime
    valid_from: datetime
    touched: list[str]
    patch: Props
    action_id: UUID
    believed_until: datetime | None


@dataclass(frozen=True, slots=True)
class EdgeTarget:
    """Where an edge leads."""

    from_id: UUID
    type: str
    to_id: UUID
