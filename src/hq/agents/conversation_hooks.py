"""Hooks of a conversation: what is done, by rooms above, when it is summed up and when a run in it ends."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class ConversationHooks:
    """Names of verbs, handed in by the room that has the founder's conversation."""

    summed_up: str
    """Keeps the summary of what went before a step."""
    joined: str
    """Puts the words of an agent that was mentioned into the conversation it was mentioned in."""
    run_ended: str
    """Ends a run."""
