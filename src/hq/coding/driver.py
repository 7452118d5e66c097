"""The driver of a coding program in the sandbox, from its start to its end, or to where it has to ask."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from hq.coding.adapter import HOME, PORT, Adapter, CodingStep, Order, ProgramClaim, ProgramOutput
from hq.coding.gateway import Gateway
from hq.sandbox import Sandbox, SandboxJob, SandboxProcess, SandboxResult, Stream

LONGEST_LINE = 8 << 20
"""A line longer than this is no message."""
OnSteps = Callable[[Sequence[CodingStep]], Awaitable[None]]
START = 'mkdir -p "$HOME" && exec "$0" "$@"'
"""The directory is made by the program's own account, inside: a link it may have left there leads nowhere."""


@dataclass(frozen=True)
class Driven:
    told: ProgramClaim
    outcome: SandboxResult


class Driver:
    """One run of one program."""

    def __init__(self, adapter: Adapter, order: Order, on_steps: OnSteps) -> None:
        self._command = adapter.command(order)
        self._talk = adapter.talk(order)
        self._on_steps = on_steps
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._partial = bytearray()
        self._stopped = asyncio.Event()
        self._why = ""

    def stop(self, why: str) -> None:
        """End the run from outside."""
        self._why = self._why or why
        self._stopped.set()

    def job(self, make: Callable[..., SandboxJob], gateway: Gateway) -> SandboxJob:
        """`make` knows the tree and its policy; this adds the program and its one door."""
        command = self._command
        return make(
            ["/bin/sh", "-c", START, *command.argv],
            env={"HOME": HOME, **command.env},
            shared=command.shared,
            stdin=command.stdin,
            doors={PORT: gateway.address},
        )

    async def run(self, sandbox: Sandbox, job: SandboxJob) -> Driven:
        async with sandbox.start(job, self._hear) as running:
            listening = asyncio.create_task(self._listen(running))
            watching = asyncio.create_task(self._watch(running))
            try:
                if not self._command.talks:
                    await running.end_input()
                outcome = await running.wait()
                self._lines.put_nowait(bytes(self._partial))
                self._lines.put_nowait(None)
                await listening
            finally:
                listening.cancel()
                watching.cancel()
                await asyncio.gather(listening, watching, return_exceptions=True)
        if self._why and outcome.killed_by == "caller":
            outcome = replace(outcome, why=self._why)
        return Driven(self._talk.told, outcome)

    def _hear(self, stream: Stream, piece: bytes) -> None:
        if stream == "stderr":
            return
        self._partial += piece
        *lines, rest = self._partial.split(b"\n")
        self._partial = rest if len(rest) <= LONGEST_LINE else bytearray()
        for line in lines:
            self._lines.put_nowait(bytes(line))

    async def _listen(self, running: SandboxProcess) -> None:
        """What has come in together is told together."""
        while (line := await self._lines.get()) is not None:
            steps = [*await self._take(running, line)]
            while not self._lines.empty() and (line := self._lines.get_nowait()) is not None:
                steps += await self._take(running, line)
            if steps:
                await self._on_steps(steps)
            if line is None:
                return

    async def _take(self, running: SandboxProcess, line: bytes) -> Sequence[CodingStep]:
        heard = _understood(self._talk.heard, line)
        if heard.answer:
            await running.send(heard.answer)
        if heard.over:
            await running.end_input()
        return heard.steps

    async def _watch(self, running: SandboxProcess) -> None:
        await self._stopped.wait()
        await running.kill(self._why)


def _understood(hear: Callable[[bytes], ProgramOutput], line: bytes) -> ProgramOutput:
    """What a program writes is its own affair: a line that is not as it should be says nothing."""
    try:
        return hear(line)
    except (KeyError, TypeError, AttributeError, ValueError):
        return ProgramOutput()


def complaint(driven: Driven) -> str:
    """What went wrong with the program itself, in words; nothing if it ended as it should."""
    outcome, told = driven.outcome, driven.told
    if outcome.killed_by:
        return outcome.why
    if told.is_error:
        return told.text or "the program says that it failed"
    if outcome.exit:
        return f"the program ended with exit code {outcome.exit}: {_last_line(outcome.stderr)}"
    if not told.over:
        return "the program ended without a result"
    return ""


def _last_line(said: bytes) -> str:
    lines = said.decode(errors="replace").strip().splitlines()
    return lines[-1][:500] if lines else "it gave no reason"
