"""An address that is told of events."""

# (Node declares `moves` as a class variable; saying so again in every type would only be noise.)

from __future__ import annotations

from typing import Literal

from pydantic import Field

from hq.graph.types import Edge, Name, Node
from hq.stream.topics import Pattern


class Webhook(Node):
    """An address outside that is told of events, signed, each at least once and in order."""

    type = "webhook"
    moves = {"active": ("paused", "disabled"), "paused": ("active",), "disabled": ("active",)}
    columns = ("url", "topics")

    name: Name
    """What it is called."""
    url: str = Field(max_length=2000)
    """Where events are posted to."""
    topics: list[Pattern] = Field(default_factory=list, max_length=50)
    """Which events, such as task.* or *.created; none means all."""
    allow_private: bool = False
    """Whether it may be on this machine or in a private network, and without encryption."""
    status: Literal["active", "paused", "disabled"] = "active"
    """Disabled is what hq does to one that is gone or has failed for days."""


NODES: tuple[type[Node], ...] = (Webhook,)
EDGES: tuple[Edge, ...] = ()
