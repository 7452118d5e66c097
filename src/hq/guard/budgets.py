"""Budgets in force: what a model call may cost is set aside before it is made, and settled after it, whatever became of it.

The database decides, in one statement under the locks of every meter concerned; so no number of sessions at once can
pass a hard limit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Literal
from uuid import UUID

from hq.clock import Clock
from hq.database.queries import beside
from hq.database.rows import RowReader
from hq.errors import HqError
from hq.guard.estimate import MARGIN, Estimate
from hq.ids import new_id
from hq.minds.circuit_breaker import Pool, in_company
from hq.minds.mind import MindBusy, MindDown, Reply, may_have_cost
from hq.minds.prices import counted
from hq.money import money

SQL = beside(__file__, "budgets.sql")
CROWDED = timedelta(seconds=5)
"""When only calls under way stand in the way, it is tried again after this long."""
ORPHANED = timedelta(hours=1)
"""How long a call that no session's worker holds may take before it counts as spent; longer than any time-out of a mind."""
WORDS = {"usd": "", "tokens": " tokens", "heavy": " turns on the strongest model"}
Measure = Literal["usd", "tokens", "heavy"]


@dataclass(frozen=True)
class Spender:
    """On whose account a call is made."""

    tenant_id: UUID
    agent: str
    mission: str | None = None
    session_id: UUID | None = None
    task_id: UUID | None = None
    holder: str | None = None
    """Whose lease on the session says that the call is under way; nothing for calls made beside any session's own."""
    purpose: str = ""


@dataclass(frozen=True)
class Limit:
    """A limit that a call runs into, or that is nearly used up."""

    scope: str
    """`tenant`, `agent:<slug>`, or `mission:`, `seat:` or `unit:` and an id."""
    period: Literal["run", "hour", "day", "month", "total"]
    measure: Measure
    hard: Decimal
    spent: Decimal
    began_at: datetime | None
    turns_at: datetime | None
    reserved: Decimal
    asked: Decimal
    title: str | None
    """What the scope is called, for people."""

    @property
    def needed(self) -> Decimal:
        """The least the limit would have to be for the call."""
        return self.spent + self.reserved + self.asked


@dataclass(frozen=True)
class CallVerdict(Limit):
    """What the limits say of a call. Where it is `ok` it is set aside, and no limit is named."""

    verdict: Literal["ok", "over", "busy"]
    agent_status: str | None
    granted: int
    """Tokens that the answer may have."""
    kept: int
    """Tokens that a cache would keep of the question, where who answers says nothing of one: what the session sent last."""


@dataclass(frozen=True)
class BudgetStanding:
    pressure: float
    """By the trend of seven days, or what is spent already: 0 is far from every limit or without one, 1 is there."""
    heavy_today: int
    """Turns on the strongest model today."""
    heavy_cap: int | None
    """How many it may have."""


class BudgetReached(Exception):
    """A hard limit is in the way of a call. `over`: the call alone would pass it; `busy`: it fits once others are settled."""

    def __init__(self, verdict: Literal["over", "busy"], limit: Limit) -> None:
        self.verdict = verdict
        self.limit = limit
        self.why = (
            f"{limit.title} has spent {amount(limit.spent, limit.measure)} of "
            f"{amount(limit.hard, limit.measure)} {when(limit.period)}, and this call may take up to "
            f"{amount(limit.asked, limit.measure)}"
        )
        if verdict == "busy":
            self.why += f", while {amount(limit.reserved, limit.measure)} are set aside for calls under way"
        super().__init__(self.why)


@dataclass
class Reserved:
    """What is set aside for one call."""

    id: UUID
    spender: Spender
    estimate: Estimate
    budgets: Budgets
    agent_status: str | None = None
    """What the agent's record says; a frozen agent that may spend again has to be thawed."""
    granted: int | None = None
    """Tokens that the answer may have: fewer than asked for where they are short."""
    kept: int = 0
    """Tokens of the question that count as kept where whoever answers says nothing of a cache."""
    near: tuple[Limit, ...] = ()
    """After settling: soft limits that were reached and that nobody was warned about in this period."""

    def weighed(self, reply: Reply) -> Reply:
        """With what a cache would have kept, so that a part is as long where a server says nothing of one."""
        usage = reply.usage
        if usage.tokens_cached or not self.kept:
            return reply
        return replace(reply, usage=replace(usage, tokens_kept=min(self.kept, usage.tokens_in)))

    async def settle(self, reply: Reply | None, error: Exception | None = None) -> None:
        self.near = await self.budgets.settle(self, self.weighed(reply) if reply else None, error)


class Budgets:
    def __init__(self, pool: Pool, clock: Clock) -> None:
        self._pool = pool
        self._clock = clock

    async def reserve(self, spender: Spender, estimate: Estimate) -> Reserved:
        """Set aside what the call may cost, against every limit that applies. Raises Over."""
        reserved = Reserved(new_id(), spender, estimate, self)
        values = {
            "id": reserved.id,
            "agent": spender.agent,
            "mission": spender.mission,
            "session": spender.session_id,
            "task": spender.task_id,
            "holder": spender.holder,
            "purpose": spender.purpose,
            "provider": estimate.provider,
            "model": estimate.model,
            "tier": estimate.tier,
            "usd": estimate.usd,
            "usd_in": estimate.usd if estimate.usd_in is None else estimate.usd_in,
            "tokens_in": estimate.tokens_in,
            "tokens_out": estimate.tokens_out,
            "share": estimate.share,
            "margin": Decimal(str(MARGIN)),
            "silent": estimate.silent,
            "least": estimate.least,
            "now": self._clock.now(),
        }
        async with in_company(self._pool, spender.tenant_id) as conn:
            said = await RowReader(conn).the_one(SQL["reserve"], values, into=CallVerdict)
        if said.verdict != "ok":
            raise BudgetReached(said.verdict, said)
        reserved.agent_status, reserved.granted, reserved.kept = said.agent_status, said.granted, said.kept
        return reserved

    async def settle(self, reserved: Reserved, reply: Reply | None, error: Exception | None) -> tuple[Limit, ...]:
        """Write down what the call came to. One that broke off after it may have been worked on costs its question and what
        had come of it, as far as anybody knows: that is said to be estimated."""
        estimate, usage = reserved.estimate, reply.usage if reply else None
        model = reply.model if reply else estimate.model
        values = {
            "id": reserved.id,
            "provider": model.partition(":")[0] if reply else estimate.provider,
            "model": model,
            "tokens_in": usage.tokens_in if usage else 0,
            "tokens_out": usage.tokens_out if usage else 0,
            "tokens_cached": usage.tokens_cached if usage else 0,
            "tokens_counted": counted(model, usage) if usage else 0,
            "usd": reply.cost_usd if reply else None,
            "priced": reply is None or reply.cost_usd is not None,
            "estimated": reply.estimated if reply else may_have_cost(error),
            "latency": round(reply.latency_ms) if reply else None,
            "error": code_of(error) if error or reply is None else answered_as(reply),
            "now": self._clock.now(),
        }
        async with in_company(self._pool, reserved.spender.tenant_id) as conn:
            return tuple(await RowReader(conn).rows(SQL["settle"], values, into=Limit))

    async def sweep(self) -> int:
        """Calls whose worker is gone count as spent as estimated, in every company. Returns how many there were."""
        values = {"patience": ORPHANED, "now": self._clock.now()}
        async with self._pool.connection() as conn:
            return await RowReader(conn).the_scalar(SQL["sweep"], values, of=int)

    async def standing(self, tenant: UUID, agent: str) -> BudgetStanding:
        """What the model policy weighs: how near an agent is to its limits."""
        values = {"agent": agent, "now": self._clock.now()}
        async with in_company(self._pool, tenant) as conn:
            return await RowReader(conn).the_one(SQL["standing"], values, into=BudgetStanding)


def code_of(error: Exception | None) -> str:
    if error is None:
        return "interrupted"
    if isinstance(error, MindDown | MindBusy) and "timeout" in error.details:
        return "timeout"
    return error.code.name if isinstance(error, HqError) else "defect"


def answered_as(reply: Reply) -> str | None:
    """What was wrong with an answer that came, and cost what it cost."""
    if reply.broken_off:
        return "interrupted"
    if reply.declined:
        return "declined"
    return None if reply.response.parts else "empty"


def when(period: str) -> str:
    return {"hour": "this hour", "day": "today", "month": "this month", "run": "in this run"}.get(period, "in all")


def amount(value: Decimal | int | float, measure: str) -> str:
    if measure == "usd":
        return money(value)
    return f"{value:,.0f}{WORDS[measure]}"
