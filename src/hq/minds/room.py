"""The front of the room `minds`: what it brings."""

from __future__ import annotations

from hq.minds import verbs
from hq.minds.service import Minds
from hq.room import Room

ROOM = Room(
    name="minds",
    verbs=verbs.VERBS,
    nouns={
        "mind": "What answers when an agent thinks: which provider and model, or a script.",
    },
    services=(lambda wiring: Minds(wiring.pool, wiring.vault, wiring.clock),),
    tables=(
        "minds",
        "mind_doors",
        "llm_call_log",
    ),
)
