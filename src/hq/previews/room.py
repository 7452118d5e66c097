"""The front of the room `previews`: what it brings."""

from __future__ import annotations

from hq.previews import verbs
from hq.previews.previews import Previews
from hq.room import Room

ROOM = Room(
    name="previews",
    verbs=verbs.VERBS,
    services=(lambda _: Previews(),),
    nouns={"preview": "Apps that missions made, while they are open: which run, what they print, stop one."},
)
