"""A coding run: what a coding program was asked to do in a workspace, and what came of it (seed 000 E)."""

# (Node declares `moves` and `relations` as class variables; saying so again in every type would only be noise.)

from __future__ import annotations

from typing import Literal

from pydantic import Field

from hq.graph.types import Edge, Name, Node, Part, Relation


class WantedOperation(Part):
    """What the program stopped before."""

    tool: str
    """The tool it would use."""
    says: str
    """What it would do with it."""
    why: str = ""
    """Why that has to be asked about."""
    fingerprint: str
    """Names exactly this operation: a yes is good for it and nothing else."""


class GivenAnswer(Part):
    """What was decided about it."""

    operation: str
    """The fingerprint of the operation that was decided about."""
    allowed: bool
    """Whether it may."""
    why: str = ""
    """What the program is told."""


class CodeRun(Node):
    """One piece of work by a coding program in a workspace: what was asked, what it did, what it used."""

    type = "code_run"
    title_field = "title"
    seen_by = ()
    over = ("done", "failed")
    moves = {
        "running": ("waiting", "done", "failed"),
        "waiting": ("answered", "running", "failed"),
        "answered": ("running", "failed"),
        "failed": ("running",),
        "done": ("running", "failed"),
    }
    columns = ("cli", "session", "tokens_used", "cost")
    relations = {"workspace": Relation("in_workspace", "Workspace it was done in.")}

    title: Name
    """What it was asked, in short."""
    prompt: str
    """What it was asked."""
    kind: Literal["execute", "review"] = "execute"
    """Whether it was to change something, or to look and report."""
    mode: Literal["yolo", "cautious", "plan_only"] = "yolo"
    """Whether it did everything at once, asked before destroying, or only planned."""
    cli: str
    """The coding program."""
    model: str | None = None
    """The model that was asked for."""
    answered_by: str | None = None
    """The model that answered it."""
    session: str
    """The working tree it worked on."""
    conversation: str
    """What the program itself calls the conversation."""
    status: Literal["running", "waiting", "answered", "done", "failed"] = "running"
    """What became of it, as the machine saw it."""
    why: str | None = None
    """Why it failed, or what it waits for."""
    wants: WantedOperation | None = None
    """The operation it waits to be allowed."""
    answer: GivenAnswer | None = None
    """What was decided about that; it goes on from there by itself."""
    requester: str | None = None
    """On whose behalf it works, such as agent:forge."""
    lost: int = Field(default=0, ge=0)
    """How often the process that drove it died."""
    token_budget: int = Field(default=50_000, ge=1)
    """Tokens it may use in all."""
    timeout_minutes: float = Field(default=15, gt=0)
    """How long it may run at a time."""
    check: str | None = None
    """A command that must succeed in the end."""
    merges: bool = True
    """Whether what it did goes into the mission's files when it is done."""
    merged: bool = False
    """Whether the mission's files have it."""
    undo: str | None = None
    """The action that takes that back."""
    began_with: str | None = None
    """The snapshot it began with."""
    left: str | None = None
    """The snapshot it left."""
    files_created: list[str] = Field(default_factory=list)
    """Files that were not there before."""
    files_modified: list[str] = Field(default_factory=list)
    """Files that are different now."""
    files_deleted: list[str] = Field(default_factory=list)
    """Files that are no longer there."""
    exit_code: int | None = None
    """How the program ended."""
    said: str = ""
    """What the program said last."""
    tokens_used: int = Field(default=0, ge=0)
    """Tokens, as counted by hq."""
    cost: float | None = Field(default=0, ge=0)
    """US dollars, as priced by hq; nothing where a price is not known."""
    denied: int = Field(default=0, ge=0)
    """Operations it wanted and did not get."""


NODES: tuple[type[Node], ...] = (CodeRun,)
EDGES: tuple[Edge, ...] = (Edge("in_workspace", "Where it was done.", {"code_run": ("workspace",)}, cardinality="one"),)
