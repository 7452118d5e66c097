"""A company with its shipped agents and the jobs that look after them, driven by hand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from psycopg import AsyncConnection

from hq.agents.event_router import AgentRoom
from hq.agents.files.folder import AgentFiles
from hq.door.tx import Call
from hq.engine.announcer import Announcer
from hq.engine.sessions.journal import Journal
from hq.engine.sessions.leases import Claimed
from tests.support.company import Hq
from tests.support.jobs import JobHand


@dataclass
class Supervised:
    hq: Hq
    memory: int = 8 * 1024**3

    def __post_init__(self) -> None:
        self.hq.door.services[AgentRoom] = AgentRoom(available=lambda: self.memory)
        self.load = JobHand(self.hq, "load-agents")
        self.route = JobHand(self.hq, "route")
        self.beat = JobHand(self.hq, "beat", "resume")
        self.rotate = JobHand(self.hq, "rotate")
        self.tend = JobHand(self.hq, "tend-memory")

    @property
    def folder(self) -> Path:
        return self.hq.door.services[AgentFiles].folder("acme-hq")

    async def settle(self) -> int:
        """What the leader does when something happened: announce it, then wake whom it concerns."""
        await announced(self.hq)
        return await self.route.run_once()

    async def look(self) -> None:
        """One round of everything."""
        await self.load.run_once()
        await self.settle()
        for duty in (self.beat, self.rotate, self.tend):
            await duty.run_once()

    async def sessions(self, **only: Any) -> list[dict[str, Any]]:
        """Newest last."""
        return (await self.hq.do("session.list", limit=200, **only))["items"][::-1]

    def edit(self, path: str, old: str, new: str) -> None:
        file = self.folder / path
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new))

    async def beat_every_day(self) -> None:
        """The shipped beats come whether anybody worked or not."""
        for agent in ("chief", "operator"):
            self.edit(f"{agent}/agent.md", "| Beat after work |", "| Beat |")
        await self.hq.do("agent.load")

    async def wakes_on(self, topics: str, agent: str = "operator") -> None:
        """The agent wakes on these topics, and on nothing else."""
        file = self.folder / agent / "agent.md"
        lines = [
            f"| Outbox topics | {topics} |" if line.startswith("| Outbox topics") else line
            for line in file.read_text().splitlines()
        ]
        file.write_text("\n".join(lines) + "\n")
        await self.hq.do("agent.load", agent=agent)


async def announced(hq: Hq) -> None:
    """Everything that was called so far is announced; calls in other databases of the server may hold that up a little."""
    announcer = Announcer(hq.address.app_url, hq.clock)
    async with await AsyncConnection[Any].connect(hq.address.app_url, autocommit=True) as conn:
        drawn, *_ = await (await conn.execute("select drawn from ops.horizon(0)")).fetchone() or (0,)
        chained = -1
        while chained < drawn:
            await announcer.run_once(conn)
            (chained,) = await (await conn.execute("select chained from ops.announcer")).fetchone() or (0,)


async def close(house: Any, claimed: Claimed, text: str = "") -> None:
    """End a claimed session as its worker would."""
    journal = Journal(house.hq.door.pool, claimed, house.hq.clock)
    steps = await journal.read()
    args = {
        "session": str(claimed.id),
        "holder": claimed.holder,
        "step": len(steps) + 1,
        "state": "done",
        "exit_code": 0,
        "text": text,
    }
    call = Call("session.close", args, claimed.token, session_id=claimed.id, task_id=claimed.task_id)
    closed = await house.hq.door.call(call)
    assert closed.ok, closed.error
