"""Runs jobs. (Interface settled; the workings follow.)"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from hq.workspace.sandbox.job import Job, Listener, Outcome


class Running:
    """A program under way."""

    async def send(self, data: bytes) -> None:
        """Write to its standard input."""
        raise NotImplementedError

    async def end_input(self) -> None:
        """Let it find the end of its input."""
        raise NotImplementedError

    async def kill(self, why: str) -> None:
        """End it and everything it started."""
        raise NotImplementedError

    async def wait(self) -> Outcome:
        """What became of it, once it has ended by itself or by a limit."""
        raise NotImplementedError


class Sandbox:
    """One per process, handed to the door: `tx.use(Sandbox)`."""

    async def run(self, job: Job, on_output: Listener | None = None) -> Outcome:
        """Run a job to its end."""
        async with self.start(job, on_output) as running:
            await running.end_input()
            return await running.wait()

    @asynccontextmanager
    async def start(self, job: Job, on_output: Listener | None = None) -> AsyncIterator[Running]:
        """Start a job and talk to it. Leaving the block ends whatever is still running."""
        raise NotImplementedError
        yield Running()
