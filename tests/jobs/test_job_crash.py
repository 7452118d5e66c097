"""Killed between taking an occurrence and writing down that it is done: repeated under the same key, and done once."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

DYING = str(Path(__file__).with_name("dying_leader.py"))


async def leader(hq, vault: Path, moment: str, *, dies: bool = False) -> tuple[int, str]:
    """How a process that leads for one round ended, and how many runs it had."""
    env = os.environ | ({"DIE": "1"} if dies else {})
    process = await asyncio.create_subprocess_exec(
        sys.executable, DYING, hq.address.url, str(vault), moment, stdout=asyncio.subprocess.PIPE, env=env
    )
    said, _ = await process.communicate()
    return process.returncode or 0, said.decode().strip()


async def test_a_killed_leaders_occurrence_is_repeated_by_the_next_and_done_once(own_hq, tmp_path):
    vault = tmp_path / "vault.key"
    assert await leader(own_hq, vault, "2026-01-01T09:00:00+00:00") == (0, "0")

    assert await leader(own_hq, vault, "2026-01-02T08:00:00+00:00", dies=True) == (-9, "")
    assert [await leader(own_hq, vault, "2026-01-02T08:05:00+00:00") for _ in range(2)] == [(0, "1"), (0, "0")]

    own_hq.clock.set(own_hq.clock.now().replace(day=2))
    assert [task["title"] for task in (await own_hq.do("task.list"))["items"]] == ["Water the plants"]
