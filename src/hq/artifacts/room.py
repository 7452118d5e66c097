"""The front of the room `artifacts`: what it brings."""

from __future__ import annotations

from hq.artifacts import verbs
from hq.room import Room

ROOM = Room(
    name="artifacts",
    verbs=verbs.VERBS,
    tables=("artifacts", "blobs"),
    sql=("functions.sql",),
    nouns={
        "artifact": "What tools gave back, kept whole: list, read, search in it.",
    },
)
