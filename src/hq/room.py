"""A room's front: what it brings, said once in `hq/<room>/room.py` and read by the composition root, the migrator and the
reference. Only the order of the rooms is said elsewhere, in `rooms.py`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from psycopg import AsyncConnection
    from psycopg_pool import AsyncConnectionPool

    from hq.agents.event_router import AgentRoom
    from hq.asks.kinds import Kind
    from hq.clock import Clock
    from hq.database.address import Address
    from hq.door.access import Resolver
    from hq.door.door import Door
    from hq.door.gate import Policy
    from hq.door.verb import Verb
    from hq.engine.duty import Duty
    from hq.graph.search.service import Embedders
    from hq.graph.types import Edge, Node
    from hq.guard.loops import LoopLimits
    from hq.guard.vault import Vault
    from hq.jobs.job import Job

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Wiring:
    """What services are made from: the database, the home's folders, the settings that reach into rooms, and the
    services of rooms below."""

    address: Address
    pool: AsyncConnectionPool[AsyncConnection[Any]]
    clock: Clock
    vault: Vault
    home: Path
    companies: Path
    """Where the companies keep their files."""
    embedders: Embedders
    search: str
    keep_days: int
    """How long workers' details stay."""
    run_timeout: int
    loops: LoopLimits
    agent_room: AgentRoom
    connector_sandbox: bool
    connector_paths: Sequence[Path]
    made: dict[type[Any], Any] = field(default_factory=dict)

    @property
    def workspaces(self) -> Path:
        return self.home / "workspaces"

    def use(self, service: type[T]) -> T:
        """A service of this room or of one below it."""
        return self.made[service]


@dataclass(frozen=True, kw_only=True)
class Room:
    name: str
    """Its folder."""
    types: Sequence[type[Node]] = ()
    edges: Sequence[Edge] = ()
    verbs: Sequence[Verb] = ()
    nouns: Mapping[str, str] = field(default_factory=dict)
    """What the nouns of its verbs that are no types mean, in a line each."""
    under: Mapping[str, str] = field(default_factory=dict)
    """Nouns whose commands are another's: `hq org role create` (seed 003 §1.3: one path, no second)."""
    owners: Mapping[str, Resolver] = field(default_factory=dict)
    """Whose something is, by what the verbs' `touches` call it."""
    kinds: Sequence[Kind] = ()
    """Of asks; one that holds for a part of a type stands before the one that holds for all of it."""
    jobs: Sequence[Job] = ()
    pumps: Sequence[Callable[[str, Door], Duty]] = ()
    """What moves rows all the time; made from the database's address and the door."""
    stops: Sequence[type[Policy]] = ()
    """Policies that are asked before anything else: whether the company stands still."""
    policies: Sequence[type[Policy]] = ()
    """Policies that are asked once it is clear who may: how risky a call is."""
    services: Sequence[Callable[[Wiring], object]] = ()
    """What handlers get with `tx.use`, in the order in which they are made. One with `close` is closed at the end, one
    with `flush` writes before that what it still holds."""
    tables: Sequence[str] = ()
    """Of the schema `ops`: rows a machine emits, beside the graph."""
    sql: Sequence[str] = ()
    """Files of functions, in the order in which they are applied."""

    @property
    def says(self) -> str:
        """What it is for: the first words of its package."""
        return (sys.modules[f"hq.{self.name}"].__doc__ or "").strip().partition("\n\n")[0]

    @property
    def functions(self) -> list[str]:
        return [f"{self.name}/{file}" for file in self.sql]
