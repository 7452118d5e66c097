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
    tables=(
        "sessions",
        "journal",
        "waits",
        "messages",
        "drafts",
    ),
    sql=(
        "functions.sql",
        "house.sql",
        "indexer.sql",
        "sessions/life.sql",
        "sessions/functions.sql",
        "sessions/messages.sql",
        "sessions/waking.sql",
        "sessions/transcript.sql",
    ),
)
