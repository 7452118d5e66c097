"""A process in the sandbox: what it says is heard, what it uses is watched, and it can be ended."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from hq.errors import Outage
from hq.sandbox import machine, seccomp
from hq.sandbox.job import Basis, Listener, SandboxJob, SandboxResult, Stream
from hq.sandbox.loopback_ports import LoopbackPorts
from hq.sandbox.proxy import Proxy
from hq.sandbox.supervisor import LimitPassed, Supervisor

LOOK = 0.05
"""Seconds between two looks of the supervisor, at least; more where a look takes long."""
DISK_LOOK = 0.5
SHARE = 0.05
"""How much of the time may go into looking."""
PIECE = 64 << 10
CLOSED = (BrokenPipeError, ConnectionResetError, RuntimeError)
"""What writing to a program that has ended raises; the last is how uvloop says it."""


class SandboxProcess:
    """A program under way."""

    def __init__(
        self, process: asyncio.subprocess.Process, job: SandboxJob, status: int, on_output: Listener | None
    ) -> None:
        self._process = process
        self._job = job
        self._on_output = on_output
        self._kept: dict[Stream, bytearray] = {"stdout": bytearray(), "stderr": bytearray()}
        self._truncated = False
        self._over: LimitPassed | None = None
        self._started = time.monotonic()
        self._status = _Status(status)
        self._handle: int | None = None
        self._supervisor: Supervisor | None = None
        self._proxy: Proxy | None = None
        self.way_in: LoopbackPorts | None = None
        """To what it serves, where its job says that it does."""
        assert process.stdout and process.stderr
        self._tasks: list[asyncio.Future[None]] = [
            asyncio.ensure_future(self._hear("stdout", process.stdout)),
            asyncio.ensure_future(self._hear("stderr", process.stderr)),
        ]
        self._fed = asyncio.ensure_future(self.send(job.stdin or b""))
        self._tasks.append(self._fed)
        self._watching: asyncio.Future[None] | None = None

    async def send(self, data: bytes) -> None:
        """Write to its standard input. One that no longer reads is not our trouble."""
        assert self._process.stdin
        with suppress(*CLOSED):
            self._process.stdin.write(data)
            await self._process.stdin.drain()

    async def end_input(self) -> None:
        """Let it find the end of its input, behind what the job gave it."""
        await self._fed
        assert self._process.stdin
        self._process.stdin.close()

    async def kill(self, why: str) -> None:
        """End it and everything it started."""
        self._end(LimitPassed("caller", why))

    async def wait(self) -> SandboxResult:
        """What became of it, once it has ended by itself or by a limit."""
        status = await self._process.wait()
        await self._empty()
        await asyncio.gather(*self._tasks)
        if self._over is None and not await self._status.finished():
            raise _not_built(self._kept["stderr"].decode(errors="replace"))
        assert self._supervisor
        return SandboxResult(
            exit=status if status >= 0 else 128 - status,
            stdout=bytes(self._kept["stdout"]),
            stderr=bytes(self._kept["stderr"]),
            truncated=self._truncated,
            killed_by=self._over.limit if self._over else None,
            why=self._over.why if self._over else "",
            usage=replace(self._supervisor.usage, seconds=time.monotonic() - self._started),
            enforced_by=enforced(),
            reached=tuple(self._proxy.reached) if self._proxy else (),
        )

    async def built(self) -> int:
        """The first process inside, as soon as bubblewrap has made it."""
        first = await self._status.first()
        if first is None:
            await self._process.wait()
            await asyncio.gather(*self._tasks)
            raise _not_built(self._kept["stderr"].decode(errors="replace"))
        with suppress(ProcessLookupError):  # it may be done already
            self._handle = os.pidfd_open(first)
        return first

    async def check_built(self) -> None:
        """Raise what bubblewrap says, if it gave up while it built the rest."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK):
                await self._process.wait()
            await asyncio.gather(*self._tasks)
            raise _not_built(self._kept["stderr"].decode(errors="replace"))

    def watch(self, supervisor: Supervisor, through: Proxy | None) -> None:
        """From now on its limits hold."""
        self._supervisor, self._proxy = supervisor, through
        self._watching = asyncio.ensure_future(self._supervise(supervisor))

    async def close(self) -> None:
        """Whatever happened, nothing of it is left running."""
        if self._watching:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)
        if self._process.returncode is None:
            self._end(LimitPassed("caller", "it was no longer wanted"))
            if self._handle is None:
                with suppress(ProcessLookupError):
                    self._process.kill()
            await self._process.wait()
        await self._empty()
        await self.end_input()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._status.close()
        if self._handle is not None:
            os.close(self._handle)

    async def _empty(self) -> None:
        """Wait until nothing runs inside any more: bubblewrap itself may be gone a moment before the last of it."""
        if self._handle is None:
            return
        loop = asyncio.get_running_loop()
        gone: asyncio.Future[None] = loop.create_future()
        loop.add_reader(self._handle, lambda: gone.done() or gone.set_result(None))
        try:
            await gone
        finally:
            loop.remove_reader(self._handle)

    def _end(self, over: LimitPassed) -> None:
        """The first process takes all others with it."""
        if self._over is None and self._process.returncode is None:
            self._over = over
            if self._handle is not None:
                with suppress(ProcessLookupError):
                    signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    async def _supervise(self, supervisor: Supervisor) -> None:
        """Look often, but not so often that looking is what the machine is busy with."""
        limit = self._job.limits.runtime_seconds
        deadline, next_disk = self._started + limit, 0.0
        while self._over is None:
            began = time.monotonic()
            if began >= deadline:
                self._end(LimitPassed("runtime", f"it ran for {limit:g} seconds; longer is not allowed"))
                return
            disk = began >= next_disk
            over, took = await asyncio.to_thread(_looked, supervisor, disk=disk)
            if over:
                self._end(over)
            if disk:
                next_disk = began + max(DISK_LOOK, took / SHARE)
            pause = LOOK if disk else max(LOOK, took / SHARE)
            await asyncio.sleep(max(0.0, min(pause, deadline - time.monotonic())))

    async def _hear(self, stream: Stream, reader: asyncio.StreamReader) -> None:
        kept, most = self._kept[stream], self._job.limits.output_bytes
        while piece := await reader.read(PIECE):
            room = max(0, most - len(kept))
            kept += piece[:room]
            self._truncated = self._truncated or len(piece) > room
            if self._on_output:
                self._on_output(stream, piece)


class _Status:
    """What bubblewrap tells of itself: the first process inside, and at the end that the program was really started."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._said = b""
        loop = asyncio.get_running_loop()
        self._first: asyncio.Future[int | None] = loop.create_future()
        self._all: asyncio.Future[None] = loop.create_future()
        os.set_blocking(descriptor, False)
        loop.add_reader(descriptor, self._read)

    async def first(self) -> int | None:
        return await self._first

    async def finished(self) -> bool:
        await self._all
        return b'"exit-code"' in self._said

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._descriptor)
        os.close(self._descriptor)

    def _read(self) -> None:
        piece = os.read(self._descriptor, 4096)
        self._said += piece
        line, end, _ = self._said.partition(b"\n")
        if not self._first.done() and (end or not piece):
            self._first.set_result(json.loads(line)["child-pid"] if end else None)
        if not piece:
            asyncio.get_running_loop().remove_reader(self._descriptor)
            self._all.set_result(None)


def enforced() -> Mapping[str, Basis]:
    """What each limit rests on. `hq sandbox test` shows that it holds."""
    return {
        "files": "kernel",
        "network": "kernel",
        "syscalls": "kernel" if seccomp.available() else "nothing",
        "processes": "supervised",
        "memory": "supervised",
        "disk": "supervised",
        "runtime": "supervised",
    }


def _not_built(said: str) -> Outage:
    reason = (said.strip().splitlines() or ["bubblewrap gave no reason"])[-1]
    hint = "`hq sandbox test` shows what this machine can hold"
    if "uid map" in said or "RTM_NEWADDR" in said:
        hint = (
            "this system does not let bubblewrap make user namespaces; on Ubuntu install `apparmor-profiles`, "
            "elsewhere see `sysctl kernel.unprivileged_userns_clone user.max_user_namespaces`"
        )
    elif "Permission denied" in said and os.geteuid() == 0:
        hint = f"as root, programs run as user {machine.ACCOUNT}, who must be able to pass: `chmod o+x` the directories above"
    return Outage(f"the sandbox could not be built: {reason}", hint=hint)


def _looked(supervisor: Supervisor, *, disk: bool) -> tuple[LimitPassed | None, float]:
    """What a look finds, and how long the machine was busy with it. While it waits its turn it costs nothing: on a busy machine
    the next look would be put off for as long as a program needs."""
    began = time.thread_time()
    return supervisor.look(disk=disk), time.thread_time() - began
