"""Opens a session for each beat that is due: once per occurrence, and once for all that were missed while hq was down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hq.agents.beats import RESUME
from hq.agents.supervision.companies import Companies
from hq.agents.supervision.router import ROOM, TOGETHER, available_memory


@dataclass
class BeatAgents:
    """A beat waits while its agent is at work, while others fill the room, and while memory is short."""

    companies: Companies
    together: int = TOGETHER
    room: int = ROOM
    memory: Callable[[], int] = available_memory
    name: str = "beat"
    says: str = "wakes agents by the clock"
    every: float = 1.0
    on_news: bool = False

    async def run_once(self) -> int:
        opened = 0
        now = self.companies.now()
        for tenant in await self.companies.named("select * from ops.with_beats(%s)", [now]):
            working = {row.agent for row in await self.companies.ask(tenant, "at_work")}
            for beat in await self.companies.ask(tenant, "due_beats", now=now):
                if beat.cron == RESUME:
                    await self.companies.call(tenant, "agent.resume", {"agent": beat.agent})
                    continue
                if beat.agent in working or len(working) >= self.together or self.memory() < self.room:
                    continue
                outcome = await self.companies.call(tenant, "agent.beat", {"agent": beat.agent, "cron": beat.cron})
                if outcome.ok and outcome.data.get("session"):
                    working.add(beat.agent)
                    opened += 1
                    await self.companies.note(tenant, self.name, f"{beat.agent}, {beat.cron}")
        return opened
