"""A company that the official `openai` client talks to, and a mind of the test's that answers for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import openai

from hq.database.migrate import Migrated
from hq.headquarters import Headquarters
from tests.support.play import Play, Told
from tests.support.streams import announcing, served

T = TypeVar("T")
WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather of a town.",
        "parameters": {"type": "object", "properties": {"town": {"type": "string"}}, "required": ["town"]},
    },
}
FIGURE = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@asynccontextmanager
async def open_house(hq: Any, settings: Any) -> AsyncIterator[Any]:
    await hq.do("agent.load")
    house = Headquarters(settings, hq.address, hq.door, hq.token, hq.clock, Migrated((), 1))
    async with served(house) as server, announcing(house):
        yield server


@asynccontextmanager
async def open_client(server: Any) -> AsyncIterator[openai.AsyncOpenAI]:
    address = f"http://127.0.0.1:{server.port}/v1"
    async with openai.AsyncOpenAI(base_url=address, api_key=server.token, max_retries=0, timeout=60) as client:
        yield client


async def with_a_model(hq: Any) -> None:
    """As if there were a model; who really answers is the test's mind."""
    await hq.do("mind.set", name="own", provider="compatible", model="m", base_url="http://127.0.0.1:9/v1")


async def queued(hq: Any, many: int = 1) -> None:
    """Until as many sessions are there to be worked on."""
    while len((await hq.do("session.list", state="queued"))["items"]) < many:
        await asyncio.sleep(0.01)


async def answered(hq: Any, asked: Awaitable[T], lines: Any, many: int = 1) -> T:
    """What comes of a request that a mind answers with these lines."""
    mind = lines if hasattr(lines, "answer") else Told(lines)
    asking = asyncio.ensure_future(asked)
    working = asyncio.create_task(_work(hq, mind, many))
    try:
        return await asking
    finally:
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)


async def _work(hq: Any, mind: Any, many: int) -> None:
    await queued(hq, many)
    runner = Play(hq).runner(mind)
    while True:
        await runner.run_once()
        await asyncio.sleep(0.01)


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}
