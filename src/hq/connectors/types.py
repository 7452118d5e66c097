"""A connector: another server whose tools the company may use."""

# (Node declares `moves` and `relations` as class variables; saying so again in every type would only be noise.)

from __future__ import annotations

from typing import Literal

from pydantic import Field

from hq.graph.types import Edge, Name, Node


class Connector(Node):
    """Another server whose tools the company may use, and how it is reached."""

    type = "connector"
    moves = {"active": ("paused",), "paused": ("active",)}
    columns = ("kind", "transport")

    name: Name
    """What it is called; its tools are offered as `hq_<name>`."""
    kind: Literal["mcp"] = "mcp"
    """What it speaks: the Model Context Protocol."""
    transport: Literal["stdio", "http"]
    """Whether it is a program that is started here or a server that is called."""
    status: Literal["active", "paused"] = "active"
    """Whether its tools are offered."""
    command: list[str] = Field(default_factory=list)
    """The program and its arguments."""
    url: str | None = None
    """Where the server is."""
    env: dict[str, str] = Field(default_factory=dict)
    """Environment of the program: for each variable the name of a secret in the vault."""
    headers: dict[str, str] = Field(default_factory=dict)
    """Headers of the requests: for each the name of a secret in the vault."""
    bearer: str | None = None
    """Secret in the vault that is sent as bearer token."""
    network: bool = True
    """Whether its program may reach public addresses; this machine and its network it never may."""
    allowed_domains: list[str] = Field(default_factory=list)
    """Only these, where there are any."""
    timeout_seconds: float = Field(default=30, gt=0, le=600)
    """How long an answer may take."""


NODES: tuple[type[Node], ...] = (Connector,)
EDGES: tuple[Edge, ...] = ()
