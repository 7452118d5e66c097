"""Following a session live: the steps of its journal as they are written, until it is over."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg import AsyncCursor
from psycopg.rows import namedtuple_row
from pydantic import Field

from hq.agents.sessions import One, found, told
from hq.database.queries import beside
from hq.door.access import STAFF, Touch
from hq.door.door import Door
from hq.door.tx import Tx
from hq.door.verb import Result, verb

SQL = beside(__file__)
PAUSE = 0.25  # seconds between looks; only while somebody follows
AT_ONCE = 100


class Tail(One):
    after: int = Field(0, ge=0)
    """Begin behind this step; 0 is the very beginning."""


class Opened(Result):
    session: str
    after: int
    stream: str
    """Where it is read: `GET` this, with the same credential."""
    tenant_id: str
    credential: str


@verb("session.tail", "stream", for_=STAFF, touches=Touch("id", "session", agent="led"), past=False)
async def tail(tx: Tx, args: Tail) -> Opened:
    """Follow a session step by step, as it happens, until it is over."""
    row = await found(tx, args.id)
    return Opened(
        session=str(row.id),
        after=args.after,
        stream=f"/api/sessions/{row.id}/steps?after={args.after}",
        tenant_id=str(tx.caller.tenant_id),
        credential=str(tx.caller.credential_id),
    )


@dataclass(frozen=True)
class Steps:
    """What one look found: steps, perhaps none, and the state in which the session is over, if it is."""

    items: list[dict[str, Any]]
    over: str | None = None
    revoked: bool = False


async def follow(door: Door, opened: Mapping[str, Any]) -> AsyncIterator[Steps]:
    """Looks again and again. Ends with the session, or when whoever follows may no longer."""
    after = int(opened["after"])
    while True:
        seen = await _look(door, opened, after)
        yield seen
        if seen.items:
            after = seen.items[-1]["step"]
        if seen.over or seen.revoked:
            return
        if len(seen.items) < AT_ONCE:
            await asyncio.sleep(PAUSE)


async def _look(door: Door, opened: Mapping[str, Any], after: int) -> Steps:
    tenant, session = UUID(opened["tenant_id"]), UUID(opened["session"])
    async with door.pool.connection() as conn, conn.transaction(), conn.cursor(row_factory=namedtuple_row) as cursor:
        await cursor.execute(SQL["settle_in"], {"tenant": str(tenant)})
        if await revoked(cursor, opened, door.clock.now()):
            return Steps([], revoked=True)
        await cursor.execute(SQL["state"], {"id": session})
        state: Any = await cursor.fetchone()
        await cursor.execute(SQL["steps"], {"id": session, "after": after, "limit": AT_ONCE, "at": None})
        items = [told(step) for step in await cursor.fetchall()]
    # The state was read first: if that says it is over, every step was there to be read.
    over = state.state if state and state.state in ("done", "failed", "stopped") and len(items) < AT_ONCE else None
    return Steps(items, over)


async def revoked(cursor: AsyncCursor[Any], opened: Mapping[str, Any], now: datetime) -> bool:
    """Whether the credential that opened a stream has ended."""
    about = {"tenant": UUID(opened["tenant_id"]), "credential": UUID(opened["credential"]), "now": now}
    row: Any = await (await cursor.execute(SQL["ended"], about)).fetchone()
    return row.revoked


VERBS = (tail,)
