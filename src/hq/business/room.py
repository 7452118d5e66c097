"""The front of the room `business`: what it brings."""

from __future__ import annotations

from hq.business import tenant, types, verbs
from hq.business.owners import owner_of_part, owner_of_project, owner_of_task, owner_of_word
from hq.room import Room

ROOM = Room(
    name="business",
    types=types.NODES,
    edges=types.EDGES,
    verbs=(*tenant.VERBS, *verbs.VERBS),
    nouns={
        "tenant": "The company itself, and others in the same installation.",
    },
    owners={"project": owner_of_project, "part": owner_of_part, "task": owner_of_task, "word": owner_of_word},
)
