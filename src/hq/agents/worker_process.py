"""The worker process, which works on sessions. What that needs is heavy, so it is loaded when the first session
comes."""

from __future__ import annotations

import asyncio
import importlib
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import AsyncConnection

from hq.database.address import Address
from hq.door.door import Door
from hq.engine.session_waker import WORK
from hq.engine.sessions.leases import Leases
from hq.minds.service import Minds

if TYPE_CHECKING:
    from hq.agents.runner import Runner

ROOM = 8
"""How many sessions one process works on at a time."""
SWEEP = 1.0


async def work(door: Door, address: Address, room: int = ROOM) -> None:
    """Work on sessions until cancelled; then what is under way is handed back at its next step."""
    await _something_to_do(address.app_url)
    runner = await runner_for(door, address, room)
    running = asyncio.create_task(runner.run())
    try:
        await asyncio.shield(running)
    except asyncio.CancelledError:
        runner.leave()
        await running
        raise


async def runner_for(door: Door, address: Address, room: int = ROOM) -> Runner:
    # A second of importing, in a thread: nobody else has to wait for it.
    runner, staff = await asyncio.to_thread(_load)
    return runner.Runner(
        staff.SessionServices(door, door.services[Minds]), address.app_url, Leases(door.pool, door.clock), room=room
    )


def _load() -> tuple[Any, Any]:
    return importlib.import_module("hq.agents.runner"), importlib.import_module("hq.agents.session_services")


async def _something_to_do(url: str) -> None:
    while True:
        try:
            async with await AsyncConnection[Any].connect(url, autocommit=True) as conn:
                await conn.execute(f"listen {WORK}")
                while True:
                    row = await (await conn.execute("select ops.work_waits()")).fetchone()
                    if row and row[0]:
                        return
                    async for _ in conn.notifies(timeout=30 * SWEEP, stop_after=1):
                        pass
        except (psycopg.Error, OSError):
            await asyncio.sleep(SWEEP)
