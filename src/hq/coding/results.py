"""Results of coding runs: what came of a stretch of one, and what who let it work is told."""

from __future__ import annotations

from typing import TypedDict

from pydantic import Field

from hq.door.json_shape import AsJson
from hq.door.results import Awaited


class CheckRan(TypedDict):
    """The command that had to succeed, and how it ended."""

    command: str
    exit_code: int | None
    output: str


class ChangedFiles(TypedDict):
    """What is different on the disk."""

    files_created: list[str]
    files_modified: list[str]
    files_deleted: list[str]


class RunOutcome(ChangedFiles):
    """How a stretch of a run ended: what the run keeps, and who let it work is told."""

    status: str
    why: str | None
    wants: dict[str, str] | None
    exit_code: int | None
    tokens_used: int
    cost: float | None
    merged: bool
    undo: str | None


class CodeExecuted(Awaited):
    run: str
    """The run, as `hq code-run list` shows it."""
    workspace: str
    session: str
    """The working tree it worked on."""
    status: str
    """done, failed, or waiting for a yes: what the machine saw, not what the program said."""
    why: str | None = None
    """Why it failed, or what it waits for."""
    wants: dict[str, str] | None = None
    """The operation it waits to be allowed."""
    files_created: list[str] = Field(default_factory=list)
    files_modified: list[str] = Field(default_factory=list)
    files_deleted: list[str] = Field(default_factory=list)
    stdout: str = ""
    """What the program said last; for plan_only, the plan."""
    stderr: str = ""
    exit_code: int | None = None
    tokens_used: int = 0
    """As counted by hq."""
    cost: float | None = None
    """In US dollars; nothing where a price is not known."""
    model: str = ""
    denied: list[str] = Field(default_factory=list)
    """Operations it wanted and did not get."""
    check: AsJson[CheckRan | None] = None
    """The command that had to succeed: its exit code and the end of what it said."""
    merged: bool = False
    """Whether the mission's files now have it."""
    undo: str | None = None
    """The action that takes it back: `hq undo <this>`."""
    seconds: float = 0.0
