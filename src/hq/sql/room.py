"""The front of the room `sql`: what it brings."""

from __future__ import annotations

from hq.room import Room
from hq.sql import verbs
from hq.sql.reader_session import SqlReader

ROOM = Room(
    name="sql",
    verbs=verbs.VERBS,
    nouns={
        "sql": "Questions in SQL: read-only, over views of this company, as of any moment.",
    },
    services=(lambda wiring: SqlReader(wiring.address.reader_url),),
    sql=("views.sql",),
)
