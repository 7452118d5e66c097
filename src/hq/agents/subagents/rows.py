"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SubagentAtWorkRow:
    """The sub-agents of an agent that are not over yet."""

    name: str | None
    agent: str
    subagent: str | None
    project: str | None


@dataclass(frozen=True, slots=True)
class RunningAsRow:
    """What a worker's session was started as."""

    agent: str
    subagent: str | None
    project: str | None
    workspace: str | None
