"""A workspace: the directory a mission is worked on in, and what programs in it may do (seed 000 E)."""

# (Node declares `moves` and `relations` as class variables; saying so again in every type would only be noise.)

from __future__ import annotations

from typing import Literal

from pydantic import Field

from hq.graph.types import Edge, Name, Node, Relation


class Workspace(Node):
    """A mission's directory and the policy the operating system enforces on it; disposable, its mission is not."""

    type = "workspace"
    title_field = "path"
    moves = {"open": ("sealed", "deleted"), "sealed": ("open", "deleted"), "deleted": ("open",)}
    columns = ("category", "network")
    relations = {"mission": Relation("for_mission", "Mission it is for.")}

    path: Name
    """Directory, relative to the company's workspaces, such as `missions/coding/webapp/app1`."""
    category: str | None = None
    """What sort of work it is for, such as `coding/webapp`."""
    status: Literal["open", "sealed", "deleted"] = "open"
    """Whether agents may write to it, only read it, or it is gone."""
    snapshot: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")
    """What is in it now, by the hash of its content; nothing means that it is empty."""
    network: bool = True
    """Whether programs in it may reach the network."""
    allowed_domains: list[str] = Field(default_factory=list)
    """Domains they may reach; none named means all that are not blocked."""
    blocked_domains: list[str] = Field(default_factory=list)
    """Domains they may not reach."""
    max_processes: int = Field(default=10, ge=1)
    """Processes that may run at once."""
    max_memory_mb: int = Field(default=2048, ge=1)
    """Memory they may use, in megabytes."""
    max_disk_mb: int = Field(default=5120, ge=1)
    """Disk they may use, in megabytes."""
    max_runtime_minutes: int = Field(default=30, ge=1)
    """How long one of them may run."""


NODES: tuple[type[Node], ...] = (Workspace,)
EDGES: tuple[Edge, ...] = ()
