"""The front of the room `door`: what it brings."""

from __future__ import annotations

from hq.door.verbs import auth, graph, history, ledger, links, programs, schema, search, undo
from hq.room import Room

ROOM = Room(
    name="door",
    verbs=(
        *graph.VERBS,
        *links.VERBS,
        *search.VERBS,
        *history.VERBS,
        *ledger.VERBS,
        *undo.VERBS,
        *schema.VERBS,
        *auth.VERBS,
        *programs.VERBS,
    ),
    nouns={
        "action": "What was done: every call is one row, and most can be taken back.",
        "auth": "Credentials: who may come in, with what rights, until when.",
        "graph": "Any node, whatever its type: describe, link, explain, look back.",
        "ledger": "Proof that nobody changed what was recorded.",
        "schema": "Node types, edge types and verbs as JSON Schemas.",
    },
    owners={"link": graph.owner_of_link, "action": ledger.owner_of_action, "person": auth.owner_of_person},
    tables=(
        "tenants",
        "principals",
        "credentials",
        "agent_actions",
        "effects",
        "outbox",
        "ledger",
        "announcer",
        "freezes",
    ),
    sql=("wholes.sql", "stops.sql", "functions.sql", "ledger.sql"),
)
