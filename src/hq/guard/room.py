"""The front of the room `guard`: what it brings."""

from __future__ import annotations

from hq.guard import budget, cost, freeze, stops, types, vault
from hq.room import Room

ROOM = Room(
    name="guard",
    types=types.NODES,
    edges=types.EDGES,
    verbs=(*freeze.VERBS, *vault.VERBS, *budget.VERBS, *stops.VERBS, *cost.VERBS),
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
