"""A machine on which commands may be run."""

# (Node declares `moves` as a class variable; saying so again in every type would only be noise.)

from __future__ import annotations

from pydantic import Field

from hq.graph.types import Edge, Name, Node


class SshHost(Node):
    """A machine the founder allowed commands on, with the key it must prove to be itself by."""

    type = "ssh_host"
    columns = ("address", "port", "user")

    name: Name
    """What it is called, such as cube."""
    address: str = Field(min_length=1, max_length=255)
    """Where it is: a name or an address."""
    port: int = Field(default=22, ge=1, le=65535)
    """Port its sshd listens on."""
    user: str = Field(min_length=1, max_length=100)
    """As whom commands run there."""
    key: str
    """Secret in the vault that holds the private key."""
    host_keys: list[str] = Field(min_length=1, max_length=10)
    """Public keys it may prove itself by, as `ssh-ed25519 AAAA…`; any other is another machine."""


NODES: tuple[type[Node], ...] = (SshHost,)
EDGES: tuple[Edge, ...] = ()
