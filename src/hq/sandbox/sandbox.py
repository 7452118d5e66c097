"""Runs a job: bubblewrap around it, the proxy beside it, the supervisor over it."""

from __future__ import annotations

import asyncio
import fcntl
import os
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

from hq.errors import Outage, Refused
from hq.sandbox import machine, paths, proxy
from hq.sandbox.dialer import Dialer, NetworkPolicy
from hq.sandbox.job import Listener, SandboxJob, SandboxResult
from hq.sandbox.listeners import listen_inside
from hq.sandbox.loopback_ports import LoopbackPorts
from hq.sandbox.mounts import Descriptors, arguments
from hq.sandbox.process import PIECE, SandboxProcess
from hq.sandbox.supervisor import Supervisor

THREADS = 32
"""How many threads a process may have on average: the kernel counts threads where the limit means processes."""
OPEN_FILES = 4096
TMP = "job-"


class Sandbox:
    """One per process, handed to the door: `tx.use(Sandbox)`."""

    def __init__(self, scratch: Path, dialer: Dialer | None = None) -> None:
        self._scratch = scratch
        self._dialer = dialer or Dialer()
        self._swept = False

    async def run(self, job: SandboxJob, on_output: Listener | None = None) -> SandboxResult:
        """Run a job to its end."""
        async with self.start(job, on_output) as running:
            await running.end_input()
            return await running.wait()

    @asynccontextmanager
    async def start(self, job: SandboxJob, on_output: Listener | None = None) -> AsyncIterator[SandboxProcess]:
        """Start a job and talk to it. Leaving the block ends whatever is still running."""
        here = machine.look()
        policy = _checked(job)
        ports = ([proxy.PORT] if job.network != "off" else []) + list(job.doors)
        async with AsyncExitStack() as stack:
            tmp = self._tmp(stack)
            given = Descriptors()
            stack.callback(given.close)
            hold = _Hold(given, stack) if ports or job.served else None
            running = await self._spawned(here, job, tmp, given, hold, on_output)
            stack.push_async_callback(running.close)
            first = await running.built()
            through = proxy.Proxy(policy, self._dialer) if hold else None
            running.watch(
                Supervisor(first, [job.writable, *([job.kept] if job.kept else []), tmp], job.limits), through
            )
            if hold and through:
                stack.push_async_callback(through.close)
                try:
                    await _open_ways(through, first, ports, job)
                    if job.served:
                        running.way_in = await LoopbackPorts.open(first)
                        stack.push_async_callback(running.way_in.close)
                except Outage:
                    await running.check_built()  # its own reason is the better one
                    raise
                hold.let_go()
            yield running

    async def _spawned(
        self,
        here: machine.Machine,
        job: SandboxJob,
        tmp: Path,
        given: Descriptors,
        hold: _Hold | None,
        on_output: Listener | None,
    ) -> SandboxProcess:
        env = job.env if job.network == "off" else {**proxy.ENV, **job.env}
        status, told = os.pipe()
        try:
            given.add(told)
            described = given.data(arguments(job, tmp, env, given, told, hold.held if hold else None))
            process = await asyncio.create_subprocess_exec(
                *_command(here, job, described),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                pass_fds=given.open,
                env={"PATH": machine.PLACES},
                start_new_session=True,
                limit=PIECE,
            )
        except BaseException:
            os.close(status)
            raise
        given.close()
        return SandboxProcess(process, job, status, on_output)

    def _tmp(self, stack: AsyncExitStack) -> Path:
        """A /tmp of its own on the disk: one in memory would be memory that nobody counts."""
        self._scratch.mkdir(mode=0o711, parents=True, exist_ok=True)
        if not self._swept:
            self._swept = True
            _sweep(self._scratch)
        path = Path(tempfile.mkdtemp(prefix=TMP, dir=self._scratch))
        descriptor = paths.open_top(path)
        stack.callback(os.close, descriptor)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        stack.callback(paths.remove, path)
        machine.own(descriptor)
        return path


def _sweep(scratch: Path) -> None:
    """Remove what jobs of a process that died left behind: a living one holds the lock on its directory."""
    for path in scratch.glob(f"{TMP}*"):
        with suppress(OSError):
            descriptor = paths.open_top(path)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                paths.remove(path)
            finally:
                os.close(descriptor)


class _Hold:
    """Holds the program back until its network is there."""

    def __init__(self, given: Descriptors, stack: AsyncExitStack) -> None:
        self.held, self._write = os.pipe()
        given.add(self.held)
        stack.callback(os.close, self._write)

    def let_go(self) -> None:
        os.write(self._write, b".")


def _checked(job: SandboxJob) -> NetworkPolicy:
    if not job.argv or not all("\0" not in word for word in job.argv):
        raise Refused.invalid("there is no program to run: argv is a list of words without zero bytes")
    if proxy.PORT in job.doors:
        raise Refused.invalid(f"port {proxy.PORT} is the proxy's; take another one")
    return NetworkPolicy(job.network, job.blocked)


def _command(here: machine.Machine, job: SandboxJob, described: str) -> list[str]:
    changed = (
        [here.changer, f"--reuid={here.account}", f"--regid={here.account}", "--clear-groups", "--inh-caps=-all", "--"]
        if here.changer
        else []
    )
    limited = [
        here.limiter,
        f"--nproc={job.limits.processes * THREADS}",
        f"--data={job.limits.memory_mb << 20}",
        f"--fsize={job.limits.disk_mb << 20}",
        f"--nofile={OPEN_FILES}",
        "--core=0",
        "--",
    ]
    return [*changed, str(here.bubblewrap.path), "--args", described, "--", *limited, *job.argv]


async def _open_ways(through: proxy.Proxy, first: int, ports: Sequence[int], job: SandboxJob) -> None:
    if not ports:
        return
    for port, listener in zip(ports, await listen_inside(first, ports), strict=True):
        if port in job.doors:
            await through.lead(listener, job.doors[port])
        else:
            await through.serve(listener)
