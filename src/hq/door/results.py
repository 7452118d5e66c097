"""Results that many verbs share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, Self, TypeVar

from pydantic import Field

from hq.door.json_shape import AsJson
from hq.door.verb import Result
from hq.graph.records import Stored
from hq.json_types import NodeItem, Props

T = TypeVar("T")
R = TypeVar("R")


class Row(Result):
    """One node, briefly."""

    slug: str
    id: str
    title: str = ""
    status: str | None = None


class Listing(Result, Generic[T]):
    """Some rows."""

    items: AsJson[list[T]] = Field(default_factory=list)

    def __class_getitem__(cls, _item: Any) -> type[Self]:
        """`Listing[SessionItem]`: the shape of its rows is for the type checker; every listing is one model."""
        return cls


class Page(Listing[T]):
    """Some rows, and how to get the next ones. A verb that answers with one takes `limit` and `after`."""

    next: str | None = None
    """Pass as `after` for the rows behind these; absent at the end."""


class Awaited(Result):
    """An answer that may have to be waited for; with nothing in `waits_for` it is final."""

    waits_for: str | list[str] | None = None
    """Each as `noun:id`."""
    waits_on: list[str] | None = None
    """The events about them that settle it; left out, any."""
    waits_since: int | None = None
    """The call after which they count; left out, this one."""


class Detail(Result):
    """One node, whole."""

    slug: str
    id: str
    type: str
    title: str
    props: Props = Field(default_factory=dict)


class Done(Result):
    """Something was done that has no better answer."""

    message: str


def row(node: Stored[Any]) -> Row:
    return Row.model_validate(node.brief())


def page(rows: Sequence[R], limit: int, place: Callable[[R], object], item: Callable[[R], T]) -> Page[T]:
    """A page of rows, of which one more was read than is shown, so that it is known whether others follow the last one's place."""
    shown = rows[:limit]
    return Page[T](items=[item(each) for each in shown], next=str(place(shown[-1])) if len(rows) > limit else None)


def listing(nodes: Sequence[Stored[Any]], limit: int) -> Page[NodeItem]:
    return page(nodes, limit, lambda node: node.id, lambda node: node.brief())
