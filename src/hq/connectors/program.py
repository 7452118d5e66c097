"""A connector's program: started in the sandbox, spoken to line by line, and stopped when it says too much.

It sees the system's programs, what HQ_CONNECTOR_PATHS names, and one directory of its own that it may write to; its secrets
are in its environment and nowhere else. HQ_CONNECTOR_SANDBOX=off starts it as hq's own user instead.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from hq.errors import Refused
from hq.sandbox import Sandbox, SandboxJob, SandboxLimits, SandboxResult, Shared, Stream, machine
from hq.workspace.directories import Workspaces

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams

    from hq.connectors.client import ConnectorTarget

LIMITS = SandboxLimits(processes=64, runtime_seconds=24 * 3600, output_bytes=4096)
MOST_HEARD = 16 << 20
"""Bytes of a program's words that wait to be read; one that says more is stopped."""
EMPTY = re.compile(rb"\n{2,}")
OF_A_LINE = 64
"""What a line takes beside its bytes."""
LAST_WORDS = 2000
GRACE = 1.0
"""Seconds a program has to end by itself once nobody speaks to it."""


class LastWords:
    """The end of what a program complained of: all that is kept of it."""

    def __init__(self) -> None:
        self._said = bytearray()

    def add(self, piece: bytes) -> None:
        self._said = (self._said + piece)[-LAST_WORDS:]

    @property
    def line(self) -> str:
        lines = [line.strip() for line in self._said.decode(errors="replace").splitlines() if line.strip()]
        return lines[-1][:300] if lines else ""


@dataclass(frozen=True)
class Programs:
    """How programs are started here. Without a sandbox they are hq's user's own, and see what that user sees."""

    sandbox: Sandbox | None
    workspaces: Workspaces
    paths: Sequence[Path] = ()

    @asynccontextmanager
    async def started(self, target: ConnectorTarget, said: LastWords) -> AsyncIterator[TransportStreams]:
        if self.sandbox is None:
            async with _bare(target, said) as streams:
                yield streams
            return
        _check_machine()
        job = SandboxJob(
            target.command,
            writable=await asyncio.to_thread(self._place, target.owner, target.name),
            shared=[Shared(path, str(path)) for path in self.paths],
            env=dict(target.env),
            network=(target.domains or "on") if target.network else "off",
            limits=LIMITS,
        )
        async with _sandboxed(self.sandbox, job, said) as streams:
            yield streams

    def _place(self, owner: UUID, name: str) -> Path:
        return self.workspaces.company(owner).connector(name)


def shown_paths(setting: str, home: Path) -> tuple[Path, ...]:
    """HQ_CONNECTOR_PATHS, taken apart. What holds this home's keys is shown to no program."""
    found, keys = tuple(Path(part.strip()).expanduser() for part in setting.split(",") if part.strip()), home.resolve()
    for path in found:
        real = path.resolve()
        if not path.is_absolute() or keys.is_relative_to(real) or real.is_relative_to(keys):
            raise Refused.invalid(
                f"HQ_CONNECTOR_PATHS names {str(path)!r}; it takes whole paths, none with HQ_HOME in it and none in HQ_HOME"
            )
    return found


def _check_machine() -> None:
    try:
        machine.look()
    except Refused as missing:
        raise Refused.conflict(
            missing.message,
            hint=f"{missing.hint}; or HQ_CONNECTOR_SANDBOX=off starts connectors' programs as hq's own user",
        ) from None


@asynccontextmanager
async def _sandboxed(sandbox: Sandbox, job: SandboxJob, said: LastWords) -> AsyncIterator[TransportStreams]:
    import anyio
    from mcp.shared.message import SessionMessage

    words = ProgramLines(said)
    heard_in, heard = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    say, to_say = anyio.create_memory_object_stream[SessionMessage](0)
    async with sandbox.start(job, words.hear) as running, anyio.create_task_group() as tasks:
        ended = anyio.Event()

        async def watch() -> None:
            said.add(_ending(await running.wait()))
            words.end()
            ended.set()

        async def listen() -> None:
            async with heard_in:
                while (line := await words.next()) is not None:
                    await heard_in.send(_message(line))

        async def speak() -> None:
            async with to_say:
                async for message in to_say:
                    await running.send(
                        message.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
                    )

        words.overflowed = lambda: tasks.start_soon(running.kill, "it said more than anybody can hear")
        for each in (watch, listen, speak):
            tasks.start_soon(_until_closed, each)
        try:
            yield heard, say
        finally:
            words.end()
            heard.close()
            say.close()
            with anyio.move_on_after(GRACE, shield=True):
                await running.end_input()
                await ended.wait()
            tasks.cancel_scope.cancel()


async def _until_closed(work: Any) -> None:
    """Nobody listening any more is how it ends."""
    import anyio

    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
        await work()


class ProgramLines:
    """What a program says, line by line; not more than can be held."""

    def __init__(self, said: LastWords) -> None:
        self._said = said
        self._lines: deque[bytes] = deque()
        self._partial = bytearray()
        self._held = 0
        self._over = False
        self._news = asyncio.Event()
        self.overflowed: Any = lambda: None

    def hear(self, stream: Stream, piece: bytes) -> None:
        if stream == "stderr":
            self._said.add(piece)
            return
        if self._over:
            return
        first, *more = EMPTY.sub(b"\n", piece).split(b"\n")
        self._partial += first
        for begun in more:
            if self._partial.strip():
                self._lines.append(bytes(self._partial))
                self._held += OF_A_LINE + len(self._partial)
            self._partial = bytearray(begun)
        if self._held + len(self._partial) > MOST_HEARD:
            self.end()
            self.overflowed()
        self._news.set()

    def end(self) -> None:
        self._over = True
        self._news.set()

    async def next(self) -> bytes | None:
        while not self._lines:
            if self._over:
                return None
            self._news.clear()
            await self._news.wait()
        line = self._lines.popleft()
        self._held -= OF_A_LINE + len(line)
        return line


def _message(line: bytes) -> Any:
    import mcp_types as types
    from mcp.shared.message import SessionMessage

    try:
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        return error


def _ending(outcome: SandboxResult) -> bytes:
    return f"\nit was stopped: {outcome.why}".encode() if outcome.killed_by else b""


@asynccontextmanager
async def _bare(target: ConnectorTarget, said: LastWords) -> AsyncIterator[TransportStreams]:
    from mcp import StdioServerParameters
    from mcp.client.stdio import stdio_client

    program, *arguments = target.command
    with tempfile.TemporaryFile("w+", errors="replace") as complaints:
        try:
            started = StdioServerParameters(command=program, args=arguments, env=dict(target.env))
            async with stdio_client(started, errlog=complaints) as streams:
                yield streams
        finally:
            size = complaints.seek(0, 2)
            complaints.seek(max(0, size - LAST_WORDS))
            said.add(complaints.read().encode())
