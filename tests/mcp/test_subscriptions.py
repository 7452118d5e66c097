"""Being told: resources that changed, from the one stream and as far as the caller sees; and what became of calls."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from hq.engine.announcer import Announcer, announce_once

pytestmark = pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")


class Heard:
    """What a client was told besides answers."""

    def __init__(self) -> None:
        self.logs: list[Any] = []
        self._updates: asyncio.Queue[str] = asyncio.Queue()

    async def log(self, params: Any) -> None:
        self.logs.append(params)

    async def message(self, message: Any) -> None:
        if getattr(message, "method", "") == "notifications/resources/updated":
            self._updates.put_nowait(str(message.params.uri))

    async def updated(self) -> str:
        async with asyncio.timeout(20):
            return await self._updates.get()


@pytest.fixture
def announce(house) -> Callable[[], Awaitable[None]]:
    """All that happened so far is told to those who follow, and to nobody who follows later."""
    return lambda: announce_once(Announcer(house.address.app_url, house.clock))


@asynccontextmanager
async def client(address: str, token: str, heard: Heard) -> AsyncIterator[Client]:
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=30) as http:
        line = streamable_http_client(address, http_client=http)
        async with Client(
            line, mode="legacy", cache=None, logging_callback=heard.log, message_handler=heard.message
        ) as made:
            yield made


async def test_a_node_and_a_page_that_change_are_told(hq, address, announce):
    await hq.do("task.create", title="Call Ana")
    await hq.do("task.create", title="Other")
    heard = Heard()
    async with client(address, await hq.agent(), heard) as mcp:
        await announce()
        await mcp.subscribe_resource("hq://node/call-ana")
        await hq.do("task.update", ref="other", status="in_progress")
        await hq.do("task.update", ref="call-ana", status="in_progress")
        await announce()
        assert await heard.updated() == "hq://node/call-ana"

        await mcp.unsubscribe_resource("hq://node/call-ana")
        await announce()
        await mcp.subscribe_resource("hq://state/work")
        await hq.do("task.update", ref="call-ana", status="blocked")
        await announce()
        while (uri := await heard.updated()) != "hq://state/work":  # what was on its way before
            assert uri == "hq://node/call-ana"


async def test_what_one_may_not_see_cannot_be_followed(hq, address):
    await hq.do("task.create", title="Call Ana")
    async with client(address, await hq.tenant(), Heard()) as mcp:
        for uri in ("hq://node/call-ana", "hq://node/nothing", "hq://state/nothing", "file:///etc/passwd"):
            with pytest.raises(MCPError):
                await mcp.subscribe_resource(uri)


async def test_in_the_newer_revision_a_stream_is_listened_to(hq, address, announce):
    await hq.do("task.create", title="Call Ana")
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {await hq.agent()}"}, timeout=30) as http:
        async with Client(streamable_http_client(address, http_client=http), mode="auto", cache=None) as mcp:
            async with mcp.listen(resource_subscriptions=["hq://node/call-ana"]) as events:
                await hq.do("task.update", ref="call-ana", status="in_progress")
                await announce()
                async with asyncio.timeout(20):
                    event = await anext(aiter(events))

    assert event.uri == "hq://node/call-ana"


async def test_calls_are_logged_at_the_level_that_was_asked_for(hq, address):
    heard = Heard()
    async with client(address, hq.token, heard) as mcp:
        await mcp.call_tool("task_create", {"title": "Unheard"})
        await mcp.set_logging_level("info")
        await mcp.call_tool("task_create", {"title": "Call Ana"})
        await mcp.call_tool("task_show", {"ref": "nothing"})
        await mcp.list_tools()
        await mcp.set_logging_level("error")
        await mcp.call_tool("task_list", {})

    assert [(each.level, each.data["verb"]) for each in heard.logs] == [
        ("info", "task.create"),
        ("warning", "task.show"),
    ]
    assert heard.logs[0].data["audit_event_id"] and heard.logs[1].data["code"] == "not_found"
