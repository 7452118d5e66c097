"""The front of the room `door`: what it brings."""

from __future__ import annotations

from hq.door.verbs import auth, graph, history, ledger, links, schema, search
from hq.room import Room

ROOM = Room(
    name="door",
    verbs=(
        *graph.VERBS,
        *links.VERBS,
        *search.VERBS,
        *history.VERBS,
        *ledger.VERBS,
        *schema.VERBS,
        *auth.VERBS,
    ),
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
    sql=("stops.sql", "functions.sql", "ledger.sql"),
)
