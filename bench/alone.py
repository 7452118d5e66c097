"""One call after the other in this process: round trips, CPU of caller and server, and how long each takes."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace

from bench.calls import BARE, DOOR, READS, ROWS, WRITES, Made, opened, through, without
from bench.database import Company, server_cpu
from bench.measure import mean, median, percentile, spending
from bench.plain import Plain
from bench.trips import counted
from hq.database.embedded import EmbeddedServer
from hq.door.door import Door

WARM = 15  # the driver prepares after five, the server decides on a plan after five more
SETTLE = 0.05  # seconds the announcer has for the last calls of a round
Which = tuple[str, str]
"""A verb, and the way it is called."""


@dataclass
class Costs:
    """Of each round, milliseconds of CPU per call in this process and in the server; of each call, its time."""

    caller: list[float] = field(default_factory=list)
    server: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)

    @property
    def caller_cpu(self) -> float:
        return median(self.caller)

    @property
    def server_cpu(self) -> float:
        return mean(self.server)

    @property
    def p50(self) -> float:
        return median(self.wall)

    @property
    def p95(self) -> float:
        return percentile(self.wall, 0.95)


async def count_trips(company: Company, calls: int = 5) -> dict[Which, float]:
    """Round trips of a call, once everything is warm. What is sent after it has answered does not count."""
    async with AsyncExitStack() as stack:
        address, trips = await stack.enter_async_context(counted(company.address))
        door, makes = await _ways(stack, replace(company, address=address))
        found = {}
        for which, make in makes.items():
            taken = []
            for _ in range(WARM + calls):
                before = trips.count
                await make()
                taken.append(trips.count - before)
                await door.waker.flush()
            found[which] = median(taken[WARM:])
    return found


async def time_calls(company: Company, server: EmbeddedServer, rounds: int, calls: int) -> dict[Which, Costs]:
    """In turns, so that a busy moment touches all of them."""
    async with AsyncExitStack() as stack:
        door, makes = await _ways(stack, company)
        costs = {which: Costs() for which in makes}
        for make in makes.values():
            for _ in range(WARM):
                await make()
        for _ in range(rounds):
            for which, make in makes.items():
                await _round(make, calls, costs[which], server, door)
    return costs


async def _round(make: Made, calls: int, costs: Costs, server: EmbeddedServer, door: Door) -> None:
    before = server_cpu(server)
    with spending() as spent:
        for _ in range(calls):
            started = time.perf_counter()
            await make()
            costs.wall.append((time.perf_counter() - started) * 1000)
        await door.waker.flush()
    await asyncio.sleep(SETTLE)
    costs.caller.append(spent.cpu * 1000 / calls)
    costs.server.append((server_cpu(server) - before) * 1000 / calls)


async def _ways(stack: AsyncExitStack, company: Company) -> tuple[Door, dict[Which, Made]]:
    door = await stack.enter_async_context(opened(company))
    plain = await stack.enter_async_context(Plain.connected(company))
    makes = {(verb, DOOR): through(door, company, verb) for verb in (*WRITES, *READS)}
    makes |= {(verb, BARE): without(plain, verb, BARE) for verb in (*WRITES, *READS)}
    makes |= {(verb, ROWS): without(plain, verb, ROWS) for verb in WRITES}
    return door, makes
