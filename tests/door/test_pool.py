"""Connections: as many as a rush needs, and given back after it."""

from __future__ import annotations

import asyncio

from hq import app
from hq.app import open_door
from tests.support.company import Hq


async def test_what_a_rush_took_is_given_back(shared, template, clock, tmp_path, monkeypatch):
    monkeypatch.setattr(app, "POOL_IDLE", 0.05)
    async with open_door(shared, vault_file=tmp_path / "vault.key", clock=clock, pool_size=8) as door:
        hq = Hq(door, shared, template[1], clock)
        rushed = 0
        while rushed < 4:
            await asyncio.gather(*(hq.do("task.list") for _ in range(24)))
            rushed = door.pool.get_stats()["pool_size"]

        async with asyncio.timeout(60):
            while door.pool.get_stats()["pool_size"] > 1:
                await asyncio.sleep(0.02)
