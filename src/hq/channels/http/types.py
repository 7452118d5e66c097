"""A web server the founder knows: what may be sent along to it, and whether it may be at home."""

# (Node declares `moves` as a class variable; saying so again in every type would only be noise.)

from __future__ import annotations

from pydantic import Field

from hq.graph.types import Edge, Name, Node


class HttpSite(Node):
    """A web server the founder allowed by name, with the credentials that are sent to it and to no other."""

    type = "http_site"
    columns = ("url", "allow_private")

    name: Name
    """What it is called."""
    url: str = Field(max_length=2000)
    """Where it begins, such as https://api.example.com/v1; nothing beside it is reached by its name."""
    bearer: str | None = None
    """Secret in the vault that is sent as bearer token."""
    headers: dict[str, str] = Field(default_factory=dict)
    """Further headers: for each the name of a secret in the vault."""
    allow_private: bool = False
    """Whether it may be on this machine or in a private network, and without encryption."""


NODES: tuple[type[Node], ...] = (HttpSite,)
EDGES: tuple[Edge, ...] = ()
