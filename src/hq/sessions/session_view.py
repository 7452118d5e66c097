"""A session as a view: the steps of its journal as they are written, until it is over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from pydantic import Field

from hq.database.queries import beside
from hq.door.access import STAFF, Touch
from hq.door.door import Door
from hq.door.tx import Tx
from hq.door.verb import Result, verb
from hq.engine.sessions.lookup import found
from hq.engine.tenancy import inside
from hq.sessions.rows import StepRow
from hq.sessions.session_verbs import SessionShowArgs, step_dict
from hq.stream.cursor import EventPosition
from hq.stream.follow import Frame, Seen, Sight
from hq.stream.subscription import Filter
from hq.stream.topics import Topics

SQL = beside(__file__)
AT_ONCE = 100
OVER = ("done", "failed", "stopped")


class SessionTailArgs(SessionShowArgs):
    after: int = Field(0, ge=0)
    """Begin behind this step; 0 is the very beginning."""


class SessionTailOpened(Result):
    session: str
    after: int
    events_after: str
    """Where the company's events begin that wake whoever follows."""
    stream: str
    """Where it is read: `GET` this, with the same credential."""
    tenant_id: str
    credential: str


@verb("session.tail", "stream", for_=STAFF, touches=Touch("id", "session", agent="led"), past=False)
async def tail(tx: Tx, args: SessionTailArgs) -> SessionTailOpened:
    """Follow a session step by step, as it happens, until it is over."""
    row = await found(tx, args.id)
    return SessionTailOpened(
        session=str(row.id),
        after=args.after,
        events_after=str(await tx.the_scalar(SQL["settled"], of=int)),
        stream=f"/api/sessions/{row.id}/steps?after={args.after}",
        tenant_id=str(tx.caller.tenant_id),
        credential=str(tx.caller.credential_id),
    )


class SessionStreamView(Sight):
    """One reader's place in a session."""

    def __init__(self, door: Door, opened: Mapping[str, Any]) -> None:
        self._door = door
        self._tenant, self._session = UUID(opened["tenant_id"]), UUID(opened["session"])
        self._last = int(opened["after"])

    @property
    def cursor(self) -> str:
        return str(self._last)

    async def look(self) -> Seen:
        async with inside(self._door.pool, self._tenant) as reader:
            # The state first: if that says it is over, every step is there to be read.
            state = await reader.scalar(SQL["state"], {"id": self._session}, of=str)
            about = {"id": self._session, "after": self._last, "limit": AT_ONCE, "at": None}
            items = [step_dict(step) for step in await reader.rows(SQL["steps"], about, into=StepRow)]
        frames = [Frame(item, str(item["step"])) for item in items]
        self._last = items[-1]["step"] if items else self._last
        more = len(items) == AT_ONCE
        over = state in OVER and not more
        if over:
            frames.append(Frame({"state": state}, self.cursor, "over"))
        return Seen(frames, frozenset((self._session,)), more, over)


def session_filter(opened: Mapping[str, Any]) -> Filter:
    """Of what `session.tail` opened."""
    after = EventPosition.parse(opened["events_after"])
    return Filter(UUID(opened["tenant_id"]), UUID(opened["credential"]), after, Topics(["session.*"]))


VERBS = (tail,)
