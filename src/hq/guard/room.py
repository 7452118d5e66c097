"""The front of the room `guard`: what it brings."""

from __future__ import annotations

from hq.guard import budget, cost, freeze, stops, types, vault
from hq.room import Room

ROOM = Room(
    name="guard",
    types=types.NODES,
    edges=types.EDGES,
    verbs=(*freeze.VERBS, *vault.VERBS, *budget.VERBS, *stops.VERBS, *cost.VERBS),
    nouns={
        "cost": "What models cost: by agent, model or day, and call by call.",
        "freeze": "The kill switch: stop writes, let them go on, see what is stopped.",
        "vault": "Secrets: encrypted, set and rotated, never shown.",
    },
    stops=(freeze.FreezePolicy,),
    services=(lambda wiring: wiring.vault, lambda wiring: wiring.loops),
    tables=(
        "budget_stops",
        "budget_warnings",
        "llm_daily",
        "llm_reservations",
        "meters",
        "vault",
    ),
    sql=("functions.sql",),
)
