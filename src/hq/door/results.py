"""Results that many verbs share."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from hq.door.verb import Result
from hq.graph.records import Stored
from hq.json_types import JsonObject


class Row(Result):
    """One node, briefly."""

    slug: str
    id: str
    title: str = ""
    status: str | None = None


class Listing(Result):
    """Some rows, and how to get the next ones."""

    items: list[JsonObject] = Field(default_factory=list)
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
    props: JsonObject = Field(default_factory=dict)


class Done(Result):
    """Something was done that has no better answer."""

    message: str


def row(node: Stored[Any]) -> Row:
    return Row.model_validate(node.brief())


def listing(nodes: list[Stored[Any]], limit: int) -> Listing:
    full = len(nodes) > limit
    nodes = nodes[:limit]
    return Listing(items=[node.brief() for node in nodes], next=str(nodes[-1].id) if full else None)
