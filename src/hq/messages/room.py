"""The front of the room `messages`: what it brings."""

from __future__ import annotations

from hq.messages import delivery, inbox, verbs
from hq.room import Room

ROOM = Room(
    name="messages",
    verbs=(*verbs.VERBS, *inbox.VERBS, *delivery.VERBS),
    kinds=verbs.KINDS,
    jobs=delivery.JOBS,
    sql=("functions.sql",),
)
