"""Trigger of a session: what set it off, and what it is told of that. It is kept with the session as JSON."""

from __future__ import annotations

from typing import Literal, TypedDict

from pydantic import ConfigDict, Field

from hq.door.json_shape import AsJson
from hq.engine.sessions.steps import JournalModel, RunRequest
from hq.json_types import EventPayload

TriggerKind = Literal["beat", "outbox", "dm", "mission", "spawn"]


class TriggerEvent(TypedDict):
    """Something that happened for which a session was opened."""

    id: str
    topic: str
    payload: EventPayload
    at: str


class SessionTrigger(JournalModel):
    """Each sort of trigger says some of it; whatever else an earlier release said is kept as it is."""

    model_config = ConfigDict(extra="allow")

    text: str = ""
    """What was said, or is to be done."""
    summary: str | None = None
    """In a line."""
    sender: str | None = Field(default=None, validation_alias="from", serialization_alias="from")

    kind: str | None = None
    """Of a message: what sort it is."""
    message: str | None = None
    handoff: str | None = None
    """The handoff that it takes over with."""
    runs: list[RunRequest] = []
    """Whoever waits for the answer to the first words in a thread."""
    client: str | None = None
    """The program that asks, where the session is a completion; what it asks stands in `ops.completions`."""

    mission: str | None = None
    about: str = ""
    """The mission in its own words: by these, and not by what wakes its agent each time, the mind for it is chosen."""
    brief: str | None = None
    schedule: str | None = None
    notify: str | None = None
    """Who is to hear what came of a schedule."""
    cron: str | None = None
    """Of a beat."""

    events: AsJson[list[TriggerEvent]] = []
    hops: int | None = None
    """How many wakes lie between this session and the one it goes back to."""
    root: str | None = None

    instructions: str = ""
    """Of a worker, like all that follows."""
    tools: list[str] | None = None
    reads: list[str] = []
    """Tools among them of which it only gets what looks."""
    daily: list[str] = []
    """Those it is shown, where they are too many."""
    tier: str | None = None
    timeout: int | None = None
    """Seconds after which it is stopped with what it has."""
    subagent: str | None = None
    project: str | None = None
    run: int | None = None
    """The run of the founder's for which it works."""
    workspace: str | None = None
