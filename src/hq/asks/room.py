"""The front of the room `asks`: what it brings."""

from __future__ import annotations

from hq.asks import approvals, follow_up, grants, proposals, reviews, types, upkeep, verbs
from hq.asks.owners import owner_of_asked
from hq.room import Room

ROOM = Room(
    name="asks",
    types=types.NODES,
    edges=types.EDGES,
    verbs=(
        *verbs.VERBS,
        *approvals.VERBS,
        *grants.VERBS,
        *proposals.VERBS,
        *reviews.VERBS,
        *follow_up.VERBS,
        *upkeep.VERBS,
    ),
    nouns={
        "ask": "Whatever waits for somebody's word: see what waits, answer it, put it off, take it back.",
    },
    owners={"asked": owner_of_asked},
    kinds=(*approvals.KINDS, *proposals.KINDS, *reviews.KINDS),
    jobs=upkeep.JOBS,
    tables=(
        "ask_calls",
        "ask_faces",
        "cards",
    ),
    sql=("life.sql", "functions.sql", "then.sql"),
)
