"""The front of the room `context`: what it brings."""

from __future__ import annotations

from hq.context import assembly
from hq.room import Room

ROOM = Room(
    name="context",
    verbs=assembly.VERBS,
    nouns={
        "context": "What an agent is told when a session opens, section by section.",
    },
)
