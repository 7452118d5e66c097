"""The front of the room `business`: what it brings."""

from __future__ import annotations

from hq.business import tenant, types, verbs
from hq.room import Room

ROOM = Room(name="business", types=types.NODES, edges=types.EDGES, verbs=(*tenant.VERBS, *verbs.VERBS))
