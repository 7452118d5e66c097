"""The worker process, which works on sessions. What that needs is heavy, so it is loaded when the first session
comes."""

from __future__ import annotations

import asyncio
import importlib
from typing import TYPE_CHECKING, Any

import psycopg

from hq.database.address import Address
from hq.database.connection import ListeningConnection
from hq.database.rows import RowReader
from hq.door.door import Door
from hq.engine.session_waker import WORK
from hq.engine.sessions.leases import Leases
from hq.minds.service import Minds

if TYPE_CHECKING:
    from hq.sessions.runner import Runner

SWEEP = 1.0


class SessionWork:
    """Work on sessions in this process. Told to leave, or cancelled, it hands back what is under way at its next step."""

    def __init__(self, door: Door, address: Address, room: int) -> None:
        self._door = door
        self._address = address
        self._room = room
        self._runner: Runner | None = None
        self._leaving = False

    def leave(self) -> None:
        self._leaving = True
        if self._runner is not None:
            self._runner.leave()

    async def run(self) -> None:
        await _something_to_do(self._address.app_url)
        runner = self._runner = await runner_for(self._door, self._address, self._room)
        if self._leaving:
            return
        running = asyncio.create_task(runner.run())
        try:
            await asyncio.shield(running)
        except asyncio.CancelledError:
            runner.leave()
            await running
            raise


async def runner_for(door: Door, address: Address, room: int) -> Runner:
    # A second of importing, in a thread: nobody else has to wait for it.
    runner, staff = await asyncio.to_thread(_load)
    return runner.Runner(
        staff.SessionServices(door, door.services[Minds]), address.app_url, Leases(door.pool, door.clock), room=room
    )


def _load() -> tuple[Any, Any]:
    return importlib.import_module("hq.sessions.runner"), importlib.import_module("hq.agents.session_services")


async def _something_to_do(url: str) -> None:
    while True:
        try:
            async with await ListeningConnection.connect(url, autocommit=True) as conn:
                await conn.execute(f"listen {WORK}")
                while True:
                    if await RowReader(conn).the_scalar("select ops.work_waits()", of=bool):
                        return
                    await conn.news(30 * SWEEP)
        except (psycopg.Error, OSError):
            await asyncio.sleep(SWEEP)
