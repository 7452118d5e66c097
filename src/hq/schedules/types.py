"""The type of schedules: what starts by the clock."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from hq.graph.types import Edge, Moment, Name, Node, Relation


class Schedule(Node):
    """Something that starts by the clock: an agent's beat, a background check, a report."""

    type = "schedule"
    moves = {"active": ("paused", "ended"), "paused": ("active", "ended"), "ended": ("active",)}
    columns = ("cron", "rrule", "once_at", "timezone")
    relations = {
        "agent": Relation("assigned_to", "Agent it wakes."),
        "organisation": Relation("in_organisation", "Organisation it belongs to."),
    }

    name: Name
    """What it is called, such as `morning brief`."""
    task: str = ""
    """What is to be done when it starts, in words."""
    status: Literal["active", "paused", "ended"] = "active"
    """Whether it starts anything."""
    cron: str | None = None
    """When, as a cron expression."""
    rrule: str | None = None
    """When, as an RRULE."""
    once_at: Moment | None = None
    """When, once."""
    timezone: str = "UTC"
    """Time zone its times are in, by its IANA name."""
    verb: str | None = None
    """Verb to call, in place of waking an agent."""
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    """Arguments of that verb."""
    notify: Literal["nobody", "digest", "warnings", "always"] = "warnings"
    """When the founder is told what came of it."""
    starts_at: Moment | None = None
    """Not before this moment."""
    ends_at: Moment | None = None
    """Not after this moment."""


NODES: tuple[type[Node], ...] = (Schedule,)
EDGES: tuple[Edge, ...] = ()
