"""The product's own app on a real port, for clients that speak the protocol over HTTP."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import uvicorn

from hq.api.app import create_app
from hq.api.mcp import McpFace
from hq.headquarters import Headquarters


@asynccontextmanager
async def served(
    house: Headquarters, mcp: McpFace, around: Callable[[Any], Any] = lambda app: app
) -> AsyncIterator[str]:
    """The address of `/mcp` on the product's app, served by the product's HTTP server."""
    config = uvicorn.Config(around(create_app(house, None, mcp=mcp)), lifespan="off", log_config=None, access_log=False)
    server = uvicorn.Server(config)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        finally:
            await mcp.stop()
            server.should_exit = True
            await serving
