"""The front of the room `signals`: what it brings."""

from __future__ import annotations

from hq.room import Room
from hq.signals import types, verbs

ROOM = Room(name="signals", types=types.NODES, edges=types.EDGES, verbs=verbs.VERBS)
