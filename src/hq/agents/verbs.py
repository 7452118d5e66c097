"""The noun agent: who works here."""

from __future__ import annotations

from hq.agents import beats, control, loader, memory_upkeep, wakeup
from hq.door.access import STAFF
from hq.door.nouns import nouns
from hq.org.agent import Agent

IN_ITS_FILES = (
    "beats",
    "max_subagents",
    "model_triggers",
    "never",
    "outbox_topics",
    "owns",
    "scopes",
    "subagents",
    "takes_messages",
    "tool_actions",
    "version",
    "warm_window_seconds",
    "workspace",
    "write_paths",
)
"""What only an agent's own files say of it; nobody moves an agent's borders by a call."""

VERBS = (
    *nouns(
        Agent,
        for_=STAFF,
        gate="system",
        on_card=("create",),
        kept=IN_ITS_FILES,
        examples={"create": [{"name": "scout", "role": "Scout"}]},
    ),
    *wakeup.VERBS,
    *loader.VERBS,
    *control.VERBS,
    *beats.VERBS,
    *memory_upkeep.VERBS,
)
