"""One session: its row, how far it came, what set it off in a line; and asked to stop."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from hq.database.queries import beside
from hq.door.tx import Tx
from hq.engine.sessions.rows import SessionRow
from hq.errors import Refused
from hq.ids import parse_id
from hq.json_types import JsonObject

SQL = beside(__file__)


async def session_row(tx: Tx, id: UUID, at: datetime | None = None) -> SessionRow | None:
    """As it is, or was at a moment; nothing where there is none."""
    return await tx.one(SQL["session"], {"id": id, "at": at}, into=SessionRow)


async def found(tx: Tx, ref: str, at: datetime | None = None) -> SessionRow:
    row = await session_row(tx, parse_id(ref), at)
    if row is None:
        raise Refused.not_found(f"there is no session {ref!r}", hint="`hq session list` shows what there is")
    return row


def summary(kind: str, trigger: JsonObject) -> str:
    return str(trigger.get("summary") or trigger.get("text") or trigger.get("topic") or kind)[:200]


async def ask_to_stop(tx: Tx, id: UUID, why: str) -> str | None:
    """At its next step. What it was doing; nothing where it is over."""
    return await tx.scalar(SQL["stop"], {"id": id, "why": why, "now": tx.now}, of=str)
