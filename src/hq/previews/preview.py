"""A preview: one app at work in the sandbox, with its gate in front, from its start to its end."""

from __future__ import annotations

import asyncio
import hashlib
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote
from uuid import UUID

import uvicorn

from hq.errors import HqError, Outage, Refused
from hq.previews.gate import TICKET, Gate
from hq.sandbox import DATA, Sandbox, SandboxJob, SandboxLimits, SandboxProcess, Stream
from hq.sandbox.dialer import Connection
from hq.sandbox.loopback_ports import LoopbackPorts
from hq.workspace.snapshots.threads import in_thread

PORT = 8000
"""Inside, where nothing else is; outside it has another."""
PATIENCE = 20.0
"""Seconds an app has to begin to listen."""
LOOK = 0.05
KEPT = 200_000
"""Bytes of its log."""
LIFETIME = 8 * 3600.0
ENV = {
    "PORT": str(PORT),
    "HOST": "127.0.0.1",
    "PYTHONUNBUFFERED": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
}
PAGE = 'exec python3 -m http.server "$PORT" --bind 127.0.0.1 --directory "$1"'
"""A page needs no program of its own."""


@dataclass(frozen=True)
class PreviewOrder:
    """What is to be opened."""

    tenant: UUID
    workspace: UUID
    mission: str = field(compare=False)
    """By which of the missions on these files it was opened."""
    snapshot: str
    tree: Path
    command: str | None
    """Starts an app; nothing where it is a page."""
    page: str
    """The directory of a page."""
    limits: SandboxLimits
    data: Path | None = None
    """What the app keeps from one start to the next."""
    lay: Callable[[], None] = field(default=lambda: None, compare=False)
    """Makes the tree what the snapshot says, while nothing runs in it."""


class AppLog:
    """What an app printed, the end of it."""

    def __init__(self) -> None:
        self._kept = bytearray()

    def hear(self, _stream: Stream, piece: bytes) -> None:
        self._kept += piece
        del self._kept[:-KEPT]

    @property
    def text(self) -> str:
        return self._kept.decode("utf-8", "replace").replace("\0", "")

    def tail(self, lines: int = 5) -> str:
        return "\n".join(self.text.strip().splitlines()[-lines:])


class Preview:
    """Runs until it is stopped, or ends by itself."""

    def __init__(self, order: PreviewOrder, sandbox: Sandbox) -> None:
        self.order = order
        self.log = AppLog()
        self.url = ""
        self.visited_at = time.monotonic()
        self.ended = ""
        """Why it is over."""
        self._sandbox = sandbox
        self._gate = Gate(order.mission, self._connect, self._visited)
        self._way: LoopbackPorts | None = None
        self._port = PORT
        self._stop = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Comes back once it listens; says why it does not."""
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._run(ready), name=f"preview of {self.order.mission}")
        await asyncio.shield(ready)

    async def stop(self, why: str) -> None:
        self.ended = self.ended or why
        self._stop.set()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)

    @property
    def running(self) -> bool:
        return self._task is not None and not self._task.done()

    def link(self, landing: str = "") -> str:
        """An address that lets one browser in, once."""
        return f"{self.url}/{quote(landing)}?{TICKET}={self._gate.ticket()}"

    def _visited(self) -> None:
        self.visited_at = time.monotonic()

    async def _connect(self) -> Connection:
        if self._way is None:
            raise ConnectionRefusedError
        return await self._way.connect(self._port)

    async def _run(self, ready: asyncio.Future[None]) -> None:
        try:
            await in_thread(self.order.lay)
            async with self._sandbox.start(self._job(), self.log.hear) as running:
                over = asyncio.ensure_future(self._over(running))
                try:
                    await self._listens(running, over)
                    with _address(self.order) as listener:
                        host, port = listener.getsockname()
                        self._gate.authority = f"{host}:{port}"
                        self.url = f"http://{host}:{port}"
                        async with _served(self._gate, listener):
                            ready.set_result(None)
                            stopped = asyncio.ensure_future(self._stop.wait())
                            await asyncio.wait([over, stopped], return_when=asyncio.FIRST_COMPLETED)
                            stopped.cancel()
                finally:
                    over.cancel()
                    await asyncio.gather(over, return_exceptions=True)
        except (HqError, OSError) as error:
            self.ended = self.ended or str(error)
            if not ready.done():
                ready.set_exception(error if isinstance(error, HqError) else Outage(f"it could not be opened: {error}"))
        finally:
            self._way = None
            if not ready.done():
                ready.set_exception(Outage("it was stopped before it was open"))

    def _job(self) -> SandboxJob:
        order = self.order
        argv = ["/bin/sh", "-c", order.command or PAGE, "preview", f"/mission/{order.page}"]
        env = ENV | ({"DATA_DIR": DATA} if order.data else {})
        return SandboxJob(
            argv, writable=order.tree, kept=order.data, env=env, network="off", served=True, limits=order.limits
        )

    async def _over(self, running: SandboxProcess) -> None:
        await running.end_input()
        result = await running.wait()
        self.ended = self.ended or result.why or f"it ended by itself, with exit code {result.exit}"

    async def _listens(self, running: SandboxProcess, over: asyncio.Future[None]) -> None:
        """Wherever it listens: one that does not know PORT is let have its own."""
        self._way = running.way_in
        assert self._way
        for _ in range(round(PATIENCE / LOOK)):
            if ports := self._way.ports():
                self._port = PORT if PORT in ports else ports[0]
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK):
                    await asyncio.shield(over)
                raise _did_not_listen(self.ended, self.log)
        raise _did_not_listen(f"it did not begin to listen within {PATIENCE:g} seconds", self.log)


def _did_not_listen(why: str, log: AppLog) -> Refused:
    said = log.tail()
    return Refused.conflict(
        f"it does not start: {why}" + (f"\n{said}" if said else ""),
        hint="say what starts it in a Procfile (`web: python3 app.py`); it has to listen on the port in PORT",
    )


@contextmanager
def _address(order: PreviewOrder) -> Iterator[socket.socket]:
    """An address of this machine alone that is these very files', as far as it is free. What a browser keeps for it (cookies
    go by host, not by port) is kept from hq, from every other preview and from what these files were before or become:
    what was taken back has left nothing. The same files find it again the next time."""
    mark = hashlib.sha256(order.workspace.bytes + order.snapshot.encode()).digest()
    host = f"127.{64 + mark[0] % 64}.{mark[1]}.{1 + mark[2] % 254}"
    for port in (20_000 + int.from_bytes(mark[3:5], "big") % 10_000, 0):
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
            listener.listen(128)
        except OSError:
            listener.close()
            if not port:
                raise
            continue
        with listener:
            yield listener
        return


class _GateServer(uvicorn.Server):
    """uvicorn without its signals, which are the house's."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def _served(gate: Gate, listener: socket.socket):
    server = _GateServer(
        uvicorn.Config(
            gate, http="httptools", ws="none", lifespan="off", log_config=None, access_log=False, server_header=False,
            date_header=False, timeout_graceful_shutdown=1,
        )
    )  # fmt: skip
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield
    finally:
        server.should_exit = server.force_exit = True
        await asyncio.gather(task, return_exceptions=True)
