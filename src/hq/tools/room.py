"""The front of the room `tools`: what it brings."""

from __future__ import annotations

from hq.room import Room
from hq.tools import verbs

ROOM = Room(
    name="tools",
    verbs=verbs.VERBS,
    nouns={
        "tools": "The tools a model can be given: which there are, who may use them, how to ask for more.",
    },
)
