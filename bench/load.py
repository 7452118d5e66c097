"""Calls as fast as they go, from processes of their own: `python -m bench.load`, one JSON line in, one out.

The first line says which company; each line after it is a job. It ends when stdin is closed.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import asdict, dataclass
from uuid import UUID

import uvloop

from bench import ROOT
from bench.calls import DOOR, Made, opened, through, without
from bench.database import Company
from bench.measure import percentile, spending
from bench.plain import Plain
from hq.database.address import Address
from hq.door.door import Door

WARM = 0.3  # seconds, for connections to be made and statements prepared


@dataclass(frozen=True)
class Job:
    verb: str
    way: str
    concurrency: int
    seconds: float


@dataclass(frozen=True)
class Done:
    calls: int
    wall: float
    cpu: float
    p95: float
    """Milliseconds."""

    @property
    def rate(self) -> float:
        return self.calls / self.wall


class Worker:
    """One process that makes calls when it is told to."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._in, self._out = process.stdin, process.stdout

    def begin(self, job: Job) -> None:
        self._say(asdict(job))

    def end(self) -> Done:
        return Done(**json.loads(self._out.readline() or "null"))

    def _say(self, what: object) -> None:
        self._in.write(json.dumps(what) + "\n")
        self._in.flush()


@contextmanager
def workers(company: Company, how_many: int) -> Iterator[list[Worker]]:
    hello = json.dumps({**asdict(company), "tenant": str(company.tenant), "producer": str(company.producer)})
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "bench.load"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
        )
        for _ in range(how_many)
    ]
    try:
        for process in processes:
            assert process.stdin is not None
            process.stdin.write(hello + "\n")
            process.stdin.flush()
        yield [Worker(process) for process in processes]
    finally:
        for process in processes:
            process.communicate(timeout=60)


def run_together(crew: list[Worker], verb: str, way: str, concurrency: int, seconds: float) -> list[Done]:
    """The same job for each of them at the same time, `concurrency` calls in flight in all."""
    for worker in crew:
        worker.begin(Job(verb, way, concurrency // len(crew), seconds))
    return [worker.end() for worker in crew]


async def _obey() -> None:
    told = json.loads(sys.stdin.readline())
    company = Company(
        Address(**told["address"]), told["token"], UUID(told["tenant"]), UUID(told["producer"]), told["actor"]
    )
    async with opened(company) as door:
        while line := await asyncio.to_thread(sys.stdin.readline):
            print(json.dumps(asdict(await _do(Job(**json.loads(line)), door, company))), flush=True)


async def _do(job: Job, door: Door, company: Company) -> Done:
    async with AsyncExitStack() as stack:
        makes: list[Made] = []
        for _ in range(job.concurrency):
            if job.way == DOOR:
                makes.append(through(door, company, job.verb))
            else:
                plain = await stack.enter_async_context(Plain.connected(company))
                makes.append(without(plain, job.verb, job.way))
        await _repeat(makes, WARM)
        with spending() as spent:
            taken = await _repeat(makes, job.seconds)
    return Done(len(taken), spent.wall, spent.cpu, percentile(taken, 0.95) * 1000)


async def _repeat(makes: list[Made], seconds: float) -> list[float]:
    """Each of them again and again, side by side. The time each call took."""
    until = time.perf_counter() + seconds
    taken: list[float] = []

    async def again(make: Made) -> None:
        while (started := time.perf_counter()) < until:
            await make()
            taken.append(time.perf_counter() - started)

    await asyncio.gather(*(again(make) for make in makes))
    return taken


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_obey())
