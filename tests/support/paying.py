"""A mind with a price, and a house that keeps real budgets for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import psycopg

from hq.agents.session_services import SessionServices
from hq.engine.announcer import Announcer
from hq.engine.session_waker import SessionWaker
from hq.engine.sessions.leases import Leases
from hq.minds.config import MindConfig
from hq.minds.service import TenantMinds
from hq.sessions.config import AgentConfig
from hq.sessions.loop.record import SessionEnded
from hq.sessions.runner import Runner
from tests.support.company import Hq


@dataclass
class Minds:
    """One mind is set."""

    config: MindConfig

    async def company(self, tenant: Any, conn: Any = None) -> TenantMinds:
        return TenantMinds((self.config,), {}, {"anthropic_api_key": "vault", "openai_api_key": "vault"})


@dataclass
class Priced:
    """Says what the mind inside says, for a price; None is unpriced."""

    inside: Any
    usd: Decimal | None = Decimal("0.05")
    name: str = "claude"

    async def answer(self, ask, *, on_text=None):
        reply = await self.inside.answer(ask, on_text=on_text)
        return replace(reply, model="anthropic:claude-sonnet-5-5", cost_usd=self.usd)


class House(SessionServices):
    """Staff with the test's mind and the product's budgets."""

    def __init__(self, hq: Hq, mind: Any, config: MindConfig | None = None, **more: Any) -> None:
        super().__init__(hq.door, Minds(config or MindConfig("claude", "anthropic")))  # type: ignore[arg-type]
        self.answering = mind
        self.more = more

    async def config(self, claimed):
        return AgentConfig(claimed.agent, "You are a test.", **{"tools": (), "remembers": False, **self.more})

    async def mind(self, claimed, ask):
        return self.answering


class Payroll:
    """Runs sessions that cost something."""

    def __init__(self, hq: Hq) -> None:
        self.hq = hq
        self.ended: dict[str, SessionEnded] = {}

    def runner(self, mind: Any, config: MindConfig | None = None, **more: Any) -> Runner:
        runner = Runner(
            House(self.hq, mind, config, **more),
            self.hq.address.app_url,
            Leases(self.hq.door.pool, self.hq.clock),
            room=16,
        )
        runner.ended = lambda claimed, ended: self.ended.__setitem__(str(claimed.id), ended)
        return runner

    async def send(self, agent: str = "scout", text: str = "go") -> str:
        return (await self.hq.do("agent.send", agent=agent, text=text))["session"]

    async def run(self, mind: Any, agent: str = "scout", text: str = "go", **more: Any) -> tuple[str, SessionEnded]:
        session = await self.send(agent, text)
        await self.runner(mind, **more).run_once()
        return session, self.ended[session]

    async def again(self, mind: Any, **more: Any) -> None:
        """What woke meanwhile goes on."""
        await route(self.hq)
        await self.runner(mind, **more).run_once()

    async def topics(self) -> list[str]:
        return [topic for (topic,) in await rows(self.hq, "select topic from ops.outbox order by seq, ordinal")]


async def route(hq: Hq) -> None:
    async with await psycopg.AsyncConnection.connect(hq.address.app_url, autocommit=True) as conn:
        announcer = Announcer(hq.address.app_url, hq.clock)
        await announcer.run_once(conn)
        while announcer.unsettled:
            await announcer.run_once(conn)
        await SessionWaker(hq.address.app_url, hq.clock).run_once(conn)


async def rows(hq: Hq, query: str) -> list[tuple[Any, ...]]:
    """As the owner: across companies."""
    async with await psycopg.AsyncConnection.connect(hq.address.url, autocommit=True) as conn:
        done = await conn.execute(query)
        return await done.fetchall() if done.description else []
