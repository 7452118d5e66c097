"""The process of `hq up`: the house opened, its announcer at work, the HTTP face served, until a signal."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any

import structlog
import uvicorn

from hq import __version__
from hq.agents.worker_process import SessionWork
from hq.api.app import create_app
from hq.api.database_watch import keep_database
from hq.api.listener import url_of
from hq.api.mcp import McpFace
from hq.door.tx import Call
from hq.duties import at_work, duties
from hq.engine.announcer import Announcer
from hq.executable import command
from hq.headquarters import Headquarters, open_headquarters
from hq.previews.previews import Previews
from hq.previews.watch import watch_previews
from hq.server_lock import RunningServer, publish
from hq.settings import Settings
from hq.stop_guard import StopGuard
from hq.stream.hub import Hub

PATIENCE = 10  # seconds that calls under way have to finish, as sessions have for their next step
Say = Callable[[str], None]
log = structlog.get_logger("hq.server")


async def serve_until_signal(settings: Settings, listener: socket.socket, say: Say) -> None:
    guard = StopGuard(settings)
    ending = SignalShutdown(guard)
    with ending.on_signals(), suppress(asyncio.CancelledError):
        async with open_headquarters(settings) as hq:
            hq.door.services[Previews].serving = True
            announcer = Announcer(hq.address.app_url, hq.clock)
            sessions = SessionWork(hq.door, hq.address, settings.sessions_at_once)
            working = [duty.run() for duty in duties(hq, announcer)]
            previews = watch_previews(hq.address.app_url, hq.door)
            async with at_work(*working, sessions.run(), previews, keep_database(hq), guard.watch()):
                hub = Hub(hq.address.app_url, hq.door.pool, hq.clock)
                web = Web(hq, announcer, hub, lambda: _ready(hq, url_of(listener), say))
                ending.web, ending.sessions = web, sessions
                await web.serve(sockets=[listener])
    log.info("stopped")
    guard.nearly_over()


class Web(uvicorn.Server):
    """uvicorn, but for signals, which are ours, and with a word when it is ready."""

    def __init__(
        self, hq: Headquarters, announcer: Announcer, hub: Hub, ready: Callable[[], Coroutine[Any, Any, None]]
    ) -> None:
        self._mcp = McpFace(hq, hub=hub)
        super().__init__(
            uvicorn.Config(
                create_app(hq, announcer, hub, self._mcp),
                http="httptools",
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=PATIENCE,
            )
        )
        self._ready = ready
        self._hub = hub

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        await self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self._mcp.stop()
        await self._hub.close()  # streams never end by themselves, and uvicorn would wait for them
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        # uvicorn would raise them again at its end, and the process would die before the database is stopped.
        yield


class SignalShutdown:
    """Turns SIGTERM, Ctrl-C and a closed terminal into an orderly end, at whatever point; a second one hurries."""

    def __init__(self, guard: StopGuard) -> None:
        self.web: Web | None = None
        self.sessions: SessionWork | None = None
        self._guard = guard
        self._task = asyncio.current_task()

    @contextmanager
    def on_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            if signal.getsignal(number) != signal.SIG_IGN:  # nohup
                loop.add_signal_handler(number, self._begin)
        yield

    def _begin(self) -> None:
        self._guard.begin()
        if self.sessions is not None:
            self.sessions.leave()  # beside the calls under way, not after them
        if self.web is not None:
            self.web.force_exit = self.web.should_exit
            self.web.should_exit = True
        elif self._task is not None:
            self._task.cancel()


async def _ready(hq: Headquarters, url: str, say: Say) -> None:
    lines = [f"hq is ready at {url}", await _invitation(hq, url), *await _next(hq)]
    publish(hq.settings, RunningServer(os.getpid(), url, __version__, datetime.now(UTC).isoformat(timespec="seconds")))
    log.info("ready", url=url, applied=len(hq.migrated.applied))
    say("\n".join(lines))  # in one piece: `hq up -d` passes on what it finds


async def _invitation(hq: Headquarters, url: str) -> str:
    link = await hq.door.call(Call("auth.login", {}, hq.token)) if hq.token else None
    if link is not None and link.ok:
        return f"Log in within 15 minutes, once: {url}{link.data['path']}"
    return "There is no founder's token in this home; `hq auth login` with one in HQ_TOKEN makes a login link"


async def _next(hq: Headquarters) -> list[str]:
    """What to do, for whoever has not begun yet."""
    asked = await hq.door.call(Call("onboard.show", {}, hq.token)) if hq.token else None
    if asked is None or not asked.ok or any(step["state"] != "open" for step in asked.data["steps"]):
        return []
    typed = command()
    return [f'Next: open the link, or type `{typed} onboard`, or just `{typed} chat "What can you do?"`.']
