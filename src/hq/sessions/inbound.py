"""Inbound messages of a session while it works, rests or waits: how they get there. `letter` says how its mind reads them.

There is one way for all of it, the founder's words in a thread and the mail of agents alike: a row in `ops.messages` that
the session takes up at its next turn, as a step of its journal.
"""

from __future__ import annotations

from uuid import UUID

from psycopg.types.json import Jsonb

from hq.database.queries import beside
from hq.door.tx import Tx
from hq.engine.sessions.steps import RunRequest
from hq.ids import new_id

SQL = beside(__file__)


async def tell_session(
    tx: Tx,
    session: UUID,
    agent: str,
    text: str,
    kind: str = "command",
    id: UUID | None = None,
    run: RunRequest | None = None,
    by: str | None = None,
) -> str | None:
    """Say something to an agent's session and wake whoever works on it; `by` the house, where it is not who calls. What it was
    doing; nothing where it is over."""
    was = await tx.scalar(
        SQL["tell_session"],
        {
            "session": session,
            "id": id or new_id(),
            "kind": kind,
            "actor": by or tx.caller.actor,
            "body": text,
            "taint": sorted(tx.taint),
            "run": Jsonb(run.as_json()) if run else None,
            "now": tx.now,
        },
        of=str,
    )
    if was is not None:
        tx.emit("session.queued", session=str(session), agent=agent, trigger="dm")
        tx.queues_work = True
    return was
