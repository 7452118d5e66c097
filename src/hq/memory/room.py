"""The front of the room `memory`: what it brings."""

from __future__ import annotations

from hq.memory import facts, types, verbs
from hq.room import Room

ROOM = Room(name="memory", types=types.NODES, edges=types.EDGES, verbs=(*facts.VERBS, *verbs.VERBS))
