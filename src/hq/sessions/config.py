"""An agent's configuration, which governs its sessions. It comes from the agent's files and records, never from
code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class AgentConfig:
    """An agent as a session needs it."""

    slug: str
    instructions: str
    """The system text: its static files, in order."""
    tools: tuple[str, ...] | None = None
    """Names of the tools it is offered; nothing means every one its scopes allow."""
    reads: tuple[str, ...] = ()
    """Tools among them of which it is offered only what looks."""
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of some tools, the actions it is offered."""
    scopes: tuple[str, ...] = ("read", "write", "effect")
    max_turns: int = 30
    tokens_per_run: int | None = 200_000
    context_window: int = 200_000
    remembers: bool = True
    """Leaves memories and a handover memo when it is done; workers leave artifacts instead."""
    version: str = ""
    """Which version of its files this is."""
    topics: tuple[str, ...] = ()
    """Events that wake it, as patterns."""
    model_policy: tuple[tuple[str, str], ...] = ()
    """Which tier answers under which condition, first match first."""

    def as_dict(self) -> dict[str, Any]:
        return {
            "slug": self.slug,
            "instructions": self.instructions,
            "tools": list(self.tools) if self.tools is not None else None,
            "reads": list(self.reads),
            "only": {name: list(actions) for name, actions in self.only.items()},
            "max_turns": self.max_turns,
            "tokens_per_run": self.tokens_per_run,
            "context_window": self.context_window,
            "remembers": self.remembers,
            "version": self.version,
            "topics": list(self.topics),
            "model_policy": [list(each) for each in self.model_policy],
        }

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> AgentConfig:
        tools = values.get("tools")
        return cls(
            **{
                **values,
                "tools": tuple(tools) if tools is not None else None,
                "reads": tuple(values.get("reads", ())),
                "only": {name: tuple(actions) for name, actions in values.get("only", {}).items()},
                "topics": tuple(values.get("topics", ())),
                "model_policy": tuple((condition, tier) for condition, tier in values.get("model_policy", ())),
            }
        )
