"""A conversation of ten thousand messages costs what one of a hundred does: the same statements, and no row more is read."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from bench.talk import lengthen
from hq.engine.sessions.journal import SQL
from hq.engine.tenancy import inside
from tests.support.play import Told

NAME = "thread:founder:scout"


async def say(play, mind: Told, text: str = "And?") -> None:
    await play.hq.do("chat.say", agent="scout", text=text)
    await play.runner(mind).run_once()


@pytest.fixture
async def talk(play) -> Told:
    mind = Told(lambda ask: "Noted.")
    for _ in range(2):
        await say(play, mind)
    lengthen(play.hq.address.url, 100, NAME)
    return mind


@pytest.fixture
def statements(monkeypatch) -> list[Any]:
    """What is asked of the database from here on."""
    asked: list[Any] = []
    execute = psycopg.AsyncCursor.execute

    async def counted(self: Any, query: Any, *args: Any, **kwargs: Any) -> Any:
        if "pg_notify" not in str(query):  # one for many steps, as they happen to come
            asked.append(query)
        return await execute(self, query, *args, **kwargs)

    monkeypatch.setattr(psycopg.AsyncCursor, "execute", counted)
    return asked


async def pages_read(play) -> int:
    """By the statement that brings back what was said, as the product's role."""
    company = (await play.hq.do("auth.whoami"))["tenant_id"]
    session = (await play.hq.do("chat.status", agent="scout"))["session"]
    async with inside(play.hq.door.pool, company) as reader:
        explained = "explain (analyze, buffers, format json) " + SQL["steps"]
        # The first time it reads what there is to know of the table, too.
        _, plan = [await reader.the_scalar(explained, {"session": session}, of=list) for _ in range(2)]
    return plan[0]["Plan"]["Shared Hit Blocks"] + plan[0]["Plan"]["Shared Read Blocks"]


async def test_reading_it_back_reads_no_more_of_the_table_after_ten_thousand_messages(play, talk):
    few = await pages_read(play)

    lengthen(play.hq.address.url, 10_000, NAME)

    assert await pages_read(play) <= few + 10, "a table of five hundred pages"


async def test_an_answer_takes_the_same_statements_and_the_mind_reads_as_much(play, talk, statements):
    async def turn() -> tuple[list[Any], int]:
        statements.clear()
        await say(play, talk)
        return list(statements), len(talk.asked[-1].messages)

    await turn()  # the first one after a change learns what there is
    lengthen(play.hq.address.url, 100, NAME)
    few, read = await turn()
    lengthen(play.hq.address.url, 10_000, NAME)
    many, read_then = await turn()

    assert len(many) == len(few) and read_then == read
