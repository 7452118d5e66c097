"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from hq.json_types import Props


@dataclass(frozen=True, slots=True)
class SearchOpeningRow:
    """What a search begins with: what is called so (with `by_prefix` also what begins so), the model that serves, who of those
    who speak here is named, and the words in every language that is written here."""

    ids: list[UUID]
    model: int | None
    model_name: str | None
    names: list[str]
    speakers: list[UUID]
    terms: list[list[Any]] | None


@dataclass(frozen=True, slots=True)
class ToIndexRow:
    """What one company's calls wrote in a stretch that is not in the index yet."""

    tenant_id: UUID
    items: list[UUID | None]
    from_seq: int
    upto_seq: int


@dataclass(frozen=True, slots=True)
class IndexedNodeRow:
    """Nodes as they stand, archived or not."""

    id: UUID
    type: str
    slug: str
    title: str
    props: Props
    occurred_at: datetime | None
    created_at: datetime
    archived_at: datetime | None


@dataclass(frozen=True, slots=True)
class NodeVersionRow:
    """What nodes said in a stretch of calls."""

    item_id: UUID
    doc: Props
    recorded_at: datetime
    valid_from: datetime


@dataclass(frozen=True, slots=True)
class TalkRow:
    """In which conversation a node was said, and by whom."""

    from_id: UUID
    by: bool
    to_id: UUID


@dataclass(frozen=True, slots=True)
class NodeNameRow:
    """What nodes are called now."""

    id: UUID
    title: str


@dataclass(frozen=True, slots=True)
class ToEmbedRow:
    """Passages of one company that have no vectors yet."""

    tenant_id: UUID
    passages: list[int]
    upto: int


@dataclass(frozen=True, slots=True)
class PassageBodyRow:
    """What passages say, each text once, without what the model has seen."""

    hash: bytes
    body: str


@dataclass(frozen=True, slots=True)
class SnippetRow:
    """A passage as it is shown, the words that were asked for marked."""

    id: int
    snippet: str
