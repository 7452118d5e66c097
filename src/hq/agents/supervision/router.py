"""Routes announced events to the agents whose triggers name them, and wakes each with one session for the batch.

What arrives while an agent is at work waits in `ops.wakes` and goes with its next session. An event never wakes the agent
that caused it, and agents that only wake each other are parted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from hq.agents.supervision.companies import SQL, Companies
from hq.engine.tenancy import inside
from hq.guard.loops import LoopLimits
from hq.stream.topics import Topics

PLUMBING = ("session.", "message.", "agent.loaded")
"""How waking itself is told; it never wakes anybody."""
SCAN = 500
COALESCE = timedelta(seconds=2)
TOGETHER = 2
ROOM = 600 * 1024 * 1024


def available_memory() -> int:
    """Bytes that could be had without swapping; where the system does not say, plenty."""
    try:
        text = Path("/proc/meminfo").read_text()
    except OSError:
        return ROOM
    found = [line.split()[1] for line in text.splitlines() if line.startswith("MemAvailable:")]
    return int(found[0]) * 1024 if found else ROOM


@dataclass
class RouteEvents:
    """At most `together` agents of a company at work at once, and none woken while memory is short."""

    companies: Companies
    together: int = TOGETHER
    room: int = ROOM
    memory: Callable[[], int] = available_memory
    name: str = "route"
    says: str = "wakes agents for the events their triggers name"
    every: float = 1.0
    on_news: bool = True

    async def run_once(self) -> int:
        woken = 0
        for tenant in await self.companies.named("select * from ops.with_news()"):
            parted = await self._route(tenant)
            for agent, by, root, hops in parted:
                args = {"agent": agent, "by": by, "root": str(root), "hops": hops}
                await self.companies.call(tenant, "agent.part", args)
            count = await self._wake(tenant)
            if count:
                await self.companies.note(tenant, self.name, f"woke {count} agent{'s' if count > 1 else ''}")
            woken += count
        return woken

    async def _route(self, tenant: UUID) -> set[tuple[str, str, UUID, int]]:
        """Put what came in into the agents' buffers and move on, in one transaction. Says who had to be parted."""
        parted: set[tuple[str, str, UUID, int]] = set()
        limits: LoopLimits = self.companies.door.services[LoopLimits]
        async with inside(self.companies.door.pool, tenant) as cursor:
            await cursor.execute(SQL["wanting"])
            agents = [(row.slug, Topics(row.topics)) for row in await cursor.fetchall()]
            await cursor.execute(SQL["duty"], {"name": self.name})
            known = await cursor.fetchone()
            await cursor.execute(SQL["news"], {"upto": known.upto if known else 0, "limit": SCAN})
            events = await cursor.fetchall()
            for event in events:
                for agent, topics in agents:
                    if not topics.match(event.topic) or event.topic.startswith(PLUMBING) or caused_by(event) == agent:
                        continue
                    hops = event.hops + 1 if event.hops is not None else int(event.session is not None)
                    if limits.in_circles(hops):
                        parted.add((agent, caused_by(event) or "", event.root, hops))
                        continue
                    await cursor.execute(SQL["hold"], _held(agent, event, hops))
            if events:
                await cursor.execute(SQL["routed"], {"upto": events[-1].seq})
        return parted

    async def _wake(self, tenant: UUID) -> int:
        held = await self.companies.ask(tenant, "held", since=self.companies.now() - COALESCE)
        working = {row.agent for row in await self.companies.ask(tenant, "at_work")} if held else set()
        woken = 0
        for each in held:
            if each.status != "active" or each.busy:
                continue
            if each.fresh is None and not self._may_begin(each, working):
                continue
            args = {"agent": each.agent, "into": str(each.fresh) if each.fresh else None}
            outcome = await self.companies.call(tenant, "agent.wake", args)
            if outcome.ok and outcome.data.get("session"):
                working.add(each.agent)
                woken += 1
        return woken

    def _may_begin(self, each: Any, working: set[str]) -> bool:
        """A new session: not one after the other within two seconds, not too many at once, not without memory."""
        return each.last_at is None and len(working - {each.agent}) < self.together and self.memory() >= self.room


def caused_by(event: Any) -> str | None:
    """The agent behind an event: whose session it was, or whose credential."""
    if event.cause:
        return event.cause
    kind, _, name = event.actor.partition(":")
    return name.partition("/")[0] if kind == "agent" else None


def _held(agent: str, event: Any, hops: int) -> dict[str, Any]:
    return {
        "agent": agent,
        "seq": event.seq,
        "ordinal": event.ordinal,
        "topic": event.topic,
        "payload": Jsonb(event.payload),
        "taint": event.taint,
        "hops": hops,
        "root": event.root,
        "at": event.created_at,
    }
