"""The front of the room `graph`: what it brings."""

from __future__ import annotations

from hq.graph import provenance
from hq.room import Room

ROOM = Room(
    name="graph",
    types=provenance.NODES,
    edges=provenance.EDGES,
    services=(lambda wiring: wiring.embedders,),
    sql=(
        "meanings.sql",
        "functions.sql",
        "search/functions/indexing.sql",
        "search/functions/finding.sql",
        "search/functions/embedding.sql",
    ),
)
