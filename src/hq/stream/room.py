"""The front of the room `stream`: what it brings."""

from __future__ import annotations

from hq.room import Room
from hq.stream import verbs

ROOM = Room(
    name="stream",
    verbs=verbs.VERBS,
    nouns={
        "events": "What was announced, and what is being announced now.",
    },
)
