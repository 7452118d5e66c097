"""The front of the room `learning`: what it brings."""

from __future__ import annotations

from hq.learning import types
from hq.room import Room

ROOM = Room(name="learning", types=types.NODES, edges=types.EDGES)
