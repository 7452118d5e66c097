"""Following a conversation live: its lines, the words on their way, and how the one at the other end is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from hq.ceo.lines import Line, Place, line, readable
from hq.ceo.standing import Standing, standing
from hq.database.queries import beside
from hq.door.door import Door
from hq.engine.announced import Announced
from hq.engine.feed import Feed
from hq.engine.position import Position
from hq.engine.subscription import Ended, Told
from hq.engine.tenancy import inside
from hq.engine.topics import Topics
from hq.minds.service import Minds

SQL = beside(__file__)
PAUSE = 0.06
"""Seconds between two looks while somebody speaks; whoever rests is not looked at until an event says so."""
AT_ONCE = 100


@dataclass(frozen=True)
class Seen:
    """What one look found new."""

    lines: Sequence[Line] = ()
    standing: Standing | None = None
    """Where it changed; also with every new word of a draft."""
    events: Sequence[Announced] = ()
    """What was announced meanwhile."""
    after: Place | None = None
    ended: str | None = None
    """Why there is no more."""


class Conversation:
    """One reader's place in a conversation."""

    def __init__(self, door: Door, opened: Mapping[str, Any]) -> None:
        self.door = door
        self.opened = opened
        self.after = Place.parse(opened["after"])
        self.standing: Standing | None = None
        self._shown: set[str] = set()
        """What was shown before it was taken up, and comes again when it is."""

    async def look(self) -> Seen:
        about = {"name": self.opened["thread"], "agent": self.opened["agent"], "now": self.door.clock.now()}
        tenant = UUID(self.opened["tenant_id"])
        lacking = await self.door.services[Minds].lacking(tenant)
        async with inside(self.door.pool, tenant) as cursor:
            # The standing first: where that says it rests, every line of it is there to be read.
            await cursor.execute(SQL["standing"], about)
            found = standing(await cursor.fetchone(), lacking)
            place = {"session": self.after.session, "step": self.after.step, "limit": AT_ONCE}
            await cursor.execute(SQL["lines_after"], about | place)
            lines = [line(row) for row in await cursor.fetchall()]
        found = unless_said(found, lines)
        fresh = [each for each in lines if each.id not in self._shown and each.text]
        for each in lines:
            if each.settled:
                self.after = max(self.after, each.place)
                self._shown.discard(each.id)
            else:
                self._shown.add(each.id)
        changed = found if found != self.standing else None
        self.standing = found
        return Seen(fresh, changed, after=self.after)


def unless_said(found: Standing, lines: Sequence[Line]) -> Standing:
    """Without words on their way that have arrived: the lines were read a moment later."""
    said = found.draft and any(
        each.settled and each.place >= Place(UUID(found.session), found.step) for each in lines if found.session
    )
    return replace(found, draft="") if said else found


async def follow(door: Door, opened: Mapping[str, Any], feed: Feed | None = None) -> AsyncIterator[Seen]:
    """Looks often while somebody speaks, and otherwise when an event says that there is something to see. Without a feed
    it looks often all the time."""
    talk = Conversation(door, opened)
    if feed is None:
        while True:
            yield await talk.look()
            await asyncio.sleep(PAUSE)
    tenant, credential = UUID(opened["tenant_id"]), UUID(opened["credential"])
    async with feed.subscribe(tenant, credential, Topics(), Position.parse(opened["events_after"])) as news:
        coming = asyncio.ensure_future(news.next())
        try:
            while True:
                seen = await talk.look()
                yield seen
                busy = talk.standing is not None and talk.standing.busy
                await asyncio.wait({coming}, timeout=PAUSE if busy else None)
                if not coming.done():
                    continue
                match coming.result():
                    case Ended(why):
                        yield Seen(ended=why)
                        return
                    case Told(events):
                        yield Seen(events=events)
                    case _:
                        yield Seen()
                coming = asyncio.ensure_future(news.next())
        finally:
            coming.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await coming


def spoken(found: Standing) -> str:
    """What is being said, as far as it can be shown."""
    return readable(found.draft)
