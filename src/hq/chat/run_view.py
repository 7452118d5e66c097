"""A run as a view: what the supervisor does, its workers, and what came of it, under the seed's names (001 §5)."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from hq.chat.run import read_run
from hq.chat.run_events import news
from hq.door.door import Door
from hq.engine.tenancy import inside
from hq.minds.mind import TIERS
from hq.minds.service import Minds
from hq.stream.cursor import Cursor
from hq.stream.follow import BaseStreamView, Frame, Seen
from hq.stream.opened import StreamOpened
from hq.stream.topics import Topics

HEARTBEAT = 30.0
"""Seconds between two signs of life of a stream."""
TOPICS = Topics(("session.*", "worker.*", "run.*", "approval.*"))
"""What can move a run, beside its own steps."""


class RunFollowOpened(StreamOpened):
    run_id: int
    after: str | None = None
    over: bool
    """All of it was told already."""


class RunView(BaseStreamView):
    """One reader's place in a run."""

    def __init__(self, door: Door, opened: RunFollowOpened) -> None:
        self.filter = opened.filter(TOPICS, HEARTBEAT)
        self._door = door
        self._tenant, self._run = opened.tenant_id, opened.run_id
        self._told = Cursor.parse(opened.after, "run") if opened.after else None
        self._models: Mapping[str, str] | None = None

    @property
    def cursor(self) -> str:
        return str(self._told or "")

    async def look(self) -> Seen:
        models = self._models = self._models or await _models(self._door, self._tenant)
        async with inside(self._door.pool, self._tenant) as reader:
            run = await read_run(reader, self._run)
        if run is None:
            return Seen(over=True)
        events = list(news(run, self._told, models))
        self._told = events[-1].upto if events else self._told
        frames = [Frame(event.data, str(event.upto), event.name) for event in events]
        moving = frozenset((run.session, *(worker.id for worker in run.workers)))
        return Seen(frames, moving, over=bool(self._told and self._told.end))

    def opened(self) -> None:
        return None

    def beat(self, position: Cursor) -> Frame:
        return Frame({"timestamp": self._door.clock.now().isoformat()}, self.cursor, "heartbeat")

    def ended(self, why: str) -> None:
        return None  # whoever follows comes back with the id of the last event


async def _models(door: Door, tenant: UUID) -> dict[str, str]:
    """Who answers for which tier."""
    company = await door.services[Minds].company(tenant)
    chains = {tier: company.choice(tier).chain for tier in TIERS}
    return {tier: chain[0].says(tier) if chain else "script" for tier, chain in chains.items()}
