"""A reader of events: nothing that is said while it reads is overheard."""

from __future__ import annotations

import asyncio

import pytest

from hq.ids import new_id
from hq.stream.buffer import Buffer
from hq.stream.cursor import Cursor
from hq.stream.event import EventPage
from hq.stream.subscription import Filter, SessionMoved, StreamEnded, Subscription
from hq.stream.topics import Topics

NEWEST = Cursor.of_event(7)


@pytest.mark.parametrize(
    ("say", "heard"),
    [(lambda each: each.end("over"), StreamEnded("over")), (lambda each: each.move(), SessionMoved())],
    ids=["end", "move"],
)
async def test_what_is_said_while_it_reads_the_database_is_heard(say, heard):
    async def read(*_):
        say(behind)
        return EventPage([], NEWEST)

    filter = Filter(new_id(), new_id(), Cursor.of_event(0), Topics())
    behind = Subscription(filter, Buffer(NEWEST), read)

    async with asyncio.timeout(60):
        assert await behind.next() == heard
