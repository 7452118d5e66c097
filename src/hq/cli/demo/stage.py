"""The stage of the demo: a company on a scratch home with all that `hq up` has, gone when the curtain falls."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import structlog

from hq.agents.worker_process import SessionWork
from hq.api.server import Web
from hq.cli.demo.cleanup import cleaned_up
from hq.door.outcome import Outcome
from hq.door.tx import Call
from hq.duties import at_work, duties
from hq.engine.announcer import Announcer
from hq.errors import Outage, Refused
from hq.headquarters import Headquarters, open_headquarters
from hq.settings import Settings
from hq.stream.hub import Hub

LOOK = 0.1
PATIENCE = 90.0
"""Seconds within which what the story waits for has to come."""


@dataclass(frozen=True)
class DemoStage:
    hq: Headquarters
    home: Path
    url: str

    async def call(self, verb: str, _token: str | None = None, **args: Any) -> Outcome:
        """As the founder, or as whoever's token it is."""
        token = _token or self.hq.token
        assert token
        return await self.hq.door.call(Call(verb, args, token, reason="The demo."))

    async def do(self, verb: str, _token: str | None = None, **args: Any) -> Any:
        outcome = await self.call(verb, _token, **args)
        if not outcome.ok:
            raise Refused(f"{verb}: {outcome.message}")
        return outcome.data

    async def answer(self, text: str, agent: str = "chief") -> str:
        """Say something to an agent in the founder's conversation; what it answers in the end."""
        shown = [line["id"] for line in (await self.do("chat.history", agent=agent))["items"] if line["role"] != "user"]
        said = await self.do("chat.say", text=text, agent=agent, shown=shown[-1] if shown else "nothing")
        async for _ in self.looks():
            lines = (await self.do("chat.history", agent=agent))["items"]
            ids = [line["id"] for line in lines]
            after = lines[ids.index(said["id"]) + 1 :] if said["id"] in ids else []
            ready = (await self.do("chat.status", agent=agent))["state"] == "ready"
            # A card is what the CEO says by itself, whenever that is; it answers nothing.
            spoken = [line["text"] for line in after if line["role"] == "assistant" and "card" not in line]
            if ready and spoken:
                return spoken[-1]
        raise AssertionError("the looks end by themselves")

    async def looks(self) -> AsyncIterator[None]:
        """Again and again, for as long as something may take; then the story cannot go on."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            yield
            await asyncio.sleep(LOOK)
        raise Outage(f"what the demo waits for did not come within {PATIENCE:.0f} seconds")


@asynccontextmanager
async def stage() -> AsyncIterator[DemoStage]:
    logging.disable(logging.ERROR)
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL)
    )  # the terminal is the story's
    home = _scratch()
    settings = replace(Settings.load(), home=home, database_url=None, url=None, token=None, vault_key=None)
    try:
        with cleaned_up(home):
            async with open_headquarters(settings) as hq:
                announcer = Announcer(hq.address.app_url, hq.clock)
                hub = Hub(hq.address.app_url, hq.door.pool, hq.clock)
                with socket.create_server(("127.0.0.1", 0)) as listener:
                    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
                    working = [*duties(hq, announcer), SessionWork(hq.door, hq.address, settings.sessions_at_once)]
                    serving = _served(hq, announcer, hub, listener)
                    async with at_work(*(each.run() for each in working), serving):
                        yield DemoStage(hq, home, url)
    finally:
        logging.disable(logging.NOTSET)
        structlog.reset_defaults()


async def _served(hq: Headquarters, announcer: Announcer, hub: Hub, listener: socket.socket) -> None:
    """The pages, for whoever watches in a browser."""
    web = Web(hq, announcer, hub, _at_once)
    serving = asyncio.create_task(web.serve(sockets=[listener]))
    try:
        await asyncio.shield(serving)
    except asyncio.CancelledError:
        web.should_exit = True
        web.force_exit = True
        await serving
        raise


async def _at_once() -> None:
    """Nobody has to be told that it serves."""


def _scratch() -> Path:
    """As root, the database and the programs run as other accounts, which have to get through to it."""
    home = Path(tempfile.mkdtemp(prefix=f"hq-demo-{os.getpid()}-", dir="/tmp"))
    home.chmod(0o711)
    return home
