"""The front of the room `memory`: what it brings."""

from __future__ import annotations

from hq.memory import facts, types, verbs
from hq.memory.owners import owner_of_found_memory, owner_of_memory
from hq.room import Room

ROOM = Room(
    name="memory",
    types=types.NODES,
    edges=types.EDGES,
    verbs=(*facts.VERBS, *verbs.VERBS),
    nouns={
        "memory": "What the company remembers: with its source, and how sure that is now.",
    },
    owners={"memory": owner_of_memory, "found_memory": owner_of_found_memory},
)
