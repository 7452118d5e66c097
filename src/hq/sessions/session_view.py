"""A session as a view: the steps of its journal as they are written, until it is over."""

from __future__ import annotations

from uuid import UUID

from pydantic import Field

from hq.database.queries import beside
from hq.door.access import STAFF, Touch
from hq.door.door import Door
from hq.door.tx import Tx
from hq.door.verb import verb
from hq.engine.sessions.life import OVER
from hq.engine.sessions.lookup import found
from hq.engine.tenancy import inside
from hq.json_types import CallResult
from hq.sessions.rows import StepRow
from hq.sessions.session_verbs import SessionShowArgs, step_dict
from hq.stream.cursor import UNSETTLED
from hq.stream.follow import BaseStreamView, Frame, Seen
from hq.stream.opened import StreamOpened
from hq.stream.topics import Topics

SQL = beside(__file__)
AT_ONCE = 100
TOPICS = Topics(["session.*"])
"""What may move a session, beside its own steps."""


class SessionTailArgs(SessionShowArgs):
    after: int = Field(0, ge=0, le=UNSETTLED)
    """Begin behind this step; 0 is the very beginning."""


class SessionTailOpened(StreamOpened):
    session: str
    after: int


@verb("session.tail", "stream", for_=STAFF, touches=Touch("id", "session", agent="led"), past=False)
async def tail(tx: Tx, args: SessionTailArgs) -> SessionTailOpened:
    """Follow a session step by step, as it happens, until it is over."""
    row = await found(tx, args.id)
    return SessionTailOpened(
        session=str(row.id),
        after=args.after,
        events_after=str(await tx.the_scalar(SQL["settled"], of=int)),
        stream=f"/api/sessions/{row.id}/steps?after={args.after}",
        tenant_id=tx.caller.tenant_id,
        credential=tx.caller.credential_id,
    )


class SessionStreamView(BaseStreamView):
    """One reader's place in a session."""

    def __init__(self, door: Door, data: CallResult) -> None:
        opened = SessionTailOpened.model_validate(data)
        self.filter = opened.filter(TOPICS)
        self._door = door
        self._tenant, self._session = opened.tenant_id, UUID(opened.session)
        self._last = opened.after
        self._lies = False
        """Whether its reader knows that it lies down."""

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
        elif state == "waiting" and not items and not self._lies:  # just after the step that says what for
            frames.append(Frame({"state": state}, self.cursor, "state"))
        self._lies = state == "waiting"
        return Seen(frames, frozenset((self._session,)), more, over)


VERBS = (tail,)
