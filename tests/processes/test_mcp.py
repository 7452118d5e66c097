"""`hq mcp-serve` as a client starts it, and a server that ends although somebody listens."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.processes.houses import SOURCE, House

pytestmark = pytest.mark.slow


@asynccontextmanager
async def started(house: House, *arguments: str, **env: str) -> AsyncIterator[Client]:
    """As Claude or Cursor would start it."""
    params = StdioServerParameters(
        command=sys.executable,
        args=["-m", "hq", "mcp-serve", *arguments],
        env={"HQ_HOME": str(house.home), "PYTHONPATH": str(SOURCE), **env},
    )
    with open(os.devnull, "w") as nowhere:  # noqa: ASYNC230 (nothing is read from it)
        async with Client(stdio_client(params, errlog=nowhere), read_timeout_seconds=60, cache=None) as client:
            yield client


async def test_it_serves_a_home_that_is_not_up(house):
    async with started(house, "--tools", "task_create", HQ_LOG_LEVEL="debug") as mcp:
        tools = [tool.name for tool in (await mcp.list_tools()).tools]
        made = await mcp.call_tool("task_create", {"title": "Call Ana"})

    assert tools == ["task_create"]
    assert made.structured_content["data"]["slug"] == "call-ana"
    assert "call-ana" in house.run("task", "list").stdout


async def test_it_speaks_to_the_server_that_is_up_with_the_token_it_is_given(house):
    with house.up() as up:
        token = house.call(up.url, "auth.token", agent="chief", scopes=["read"])["token"]
        async with started(house, HQ_TOKEN=token) as mcp:
            me = await mcp.call_tool("hq", {"command": "auth whoami"})
            refused = await mcp.call_tool("task_create", {"title": "x"})
            page = await mcp.read_resource("hq://state/today")

    assert me.structured_content["data"]["actor"] == "agent:chief"
    assert refused.is_error and refused.structured_content["error"]["code"] == "forbidden"
    assert page.contents[0].text.startswith("# Today")


async def test_a_founder_may_narrow_it_to_an_agent(house):
    with house.up() as up:
        house.call(up.url, "auth.token", agent="chief")
        async with started(house, "--actor", "agent:chief") as mcp:
            tools = {tool.name for tool in (await mcp.list_tools()).tools}
            me = await mcp.call_tool("hq", {"command": "auth whoami"})

    assert (
        not any(name.startswith("vault") for name in tools) and me.structured_content["data"]["actor"] == "agent:chief"
    )


async def test_an_open_stream_does_not_hold_up_the_end(house):
    with house.up() as up:
        token = (house.home / "token").read_text().strip()
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream"}
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
            begun = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
            opened = await http.post(f"{up.url}/mcp", json=begun)
            session = {"mcp-session-id": opened.headers["mcp-session-id"]}
            async with http.stream("GET", f"{up.url}/mcp", headers=session) as stream:
                assert stream.status_code == 200
                assert up.end(signal.SIGTERM) == 0

    assert "graceful shutdown exceeded" not in house.settings.log_file.read_text()
