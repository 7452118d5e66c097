"""Reading a run's events as a device does: with its session cookie alone."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.support.streams import Said, Served, Stream


async def opened(live: Served, target: str, session: str, **headers: str) -> Stream:
    return await live.follow(path=target, authorization="", cookie=f"jarvis_session={session}", **headers)


async def events(live: Served, target: str, session: str, **headers: str) -> list[Said]:
    stream = await opened(live, target, session, **headers)
    assert stream.status == 200, stream.head
    found: list[Said] = []
    async with asyncio.timeout(60):
        while said := await stream.next():
            found.append(said)
    return found


async def whole(live: Served, target: str, session: str, **headers: str) -> list[tuple[str, Any]]:
    return [(said.name, said.data) for said in await events(live, target, session, **headers)]
