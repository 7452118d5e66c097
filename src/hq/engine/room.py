"""The front of the room `engine`: what it brings."""

from __future__ import annotations

from hq.engine.indexer import Indexer
from hq.engine.session_waker import SessionWaker
from hq.graph.search.service import Embedders
from hq.room import Room

ROOM = Room(
    name="engine",
    pumps=(
        lambda url, door: SessionWaker(url, door.clock),
        lambda url, door: Indexer(url, door.catalogue, door.clock, door.services[Embedders]),
    ),
    sql=("functions.sql", "sessions/functions.sql"),
)
