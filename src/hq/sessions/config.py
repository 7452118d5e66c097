"""An agent's configuration, which governs its sessions. It comes from the agent's files and records, never from
code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import TypeAdapter

from hq.json_types import ModelJson


@dataclass(frozen=True)
class AgentConfig:
    """An agent as a session needs it."""

    slug: str
    instructions: str
    """The system text: its static files, in order."""
    identity: str = ""
    """Who it is here, told behind what holds for all in its role: what can change costs a provider's cache only itself."""
    tools: tuple[str, ...] | None = None
    """Names of the tools it is offered; nothing means every one its scopes allow."""
    reads: tuple[str, ...] = ()
    """Tools among them of which it is offered only what looks."""
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of some tools, the actions it is offered."""
    daily: tuple[str, ...] = ()
    """The tools it is shown; the others it reaches through `hq`."""
    kind: str = ""
    """What sort of agent it is, where its files say: a CEO has verbs that are for it alone."""
    scopes: tuple[str, ...] = ("read", "write", "effect")
    max_turns: int = 30
    tokens_per_run: int | None = 200_000
    context_window: int = 200_000
    remembers: bool = True
    """Leaves memories and a handover memo when it is done; workers leave artifacts instead."""
    model: str | None = None
    """Its own model, where its record names one."""
    version: str = ""
    """Which version of its files this is."""
    topics: tuple[str, ...] = ()
    """Events that wake it, as patterns."""
    model_policy: tuple[tuple[str, str], ...] = ()
    """Which tier answers under which condition, first match first."""

    def as_json(self) -> ModelJson:
        """As a journal keeps it."""
        return _JSON.dump_python(self, mode="json", exclude={"scopes"})

    @classmethod
    def from_json(cls, kept: ModelJson) -> AgentConfig:
        return _JSON.validate_python(kept)


_JSON = TypeAdapter(AgentConfig)
