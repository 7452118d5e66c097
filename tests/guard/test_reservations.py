"""Reserving as a law: whatever many sessions do at once, no hard limit is passed, and nothing stays set aside."""

from __future__ import annotations

import asyncio
import random
import time
from decimal import Decimal

import hypothesis.strategies as st
import psycopg
from hypothesis import HealthCheck, given, settings
from psycopg_pool import AsyncConnectionPool
from pydantic_ai.messages import ModelResponse

from hq.app import open_door
from hq.clock import FakeClock
from hq.errors import Refused
from hq.guard.budgets import BudgetReached, Budgets, Spender
from hq.guard.estimate import Estimate
from hq.ids import new_id
from hq.minds.mind import MindDown, Reply, TokenUsage
from tests.support.company import Hq
from tests.support.paying import rows

AGENTS = ("scout", "forge", "quill")


async def company(hq) -> None:
    for name in AGENTS:
        await hq.do("agent.create", name=name, role="Worker")


async def check(budgets: Budgets, spender: Spender, usd: Decimal, fate: str, share: Decimal) -> bool:
    """One call: reserve, take a while, settle by its fate."""
    estimate = Estimate("anthropic", "anthropic:m", "default", 900, 100, usd)
    try:
        reserved = await budgets.reserve(spender, estimate)
    except BudgetReached:
        return False
    await asyncio.sleep(random.uniform(0, 0.003))
    if fate == "lost":
        return True
    reply = Reply(ModelResponse(parts=[]), "anthropic:m", TokenUsage(500, 50), usd * share, 1.0)
    error = {"turned away": Refused("no"), "hung": MindDown("hung", timeout=True)}.get(fate)
    await reserved.settle(None if error else reply, error)
    return True


async def highest(hq) -> dict[str, Decimal]:
    found = await rows(hq, "select scope, day_usd + reserved_usd from ops.meters")
    return dict(found)  # type: ignore[arg-type]


FATES = st.sampled_from(["answered"] * 5 + ["turned away", "hung", "lost"])
CALLS = st.lists(
    st.tuples(st.sampled_from(AGENTS), st.integers(1, 40), FATES, st.integers(0, 100)), min_size=20, max_size=60
)


async def test_sixteen_at_once_never_pass_a_hard_limit(own_hq, clock):
    await company(own_hq)
    await own_hq.do("budget.set", on="company", usd_hard=2)
    await own_hq.do("budget.set", on="scout", usd_hard=0.5)
    (tenant,) = (await rows(own_hq, "select id from ops.tenants"))[0]

    async with AsyncConnectionPool(
        own_hq.address.app_url, min_size=16, max_size=16, kwargs={"autocommit": True}
    ) as pool:
        budgets = Budgets(pool, clock)

        async def worker(number: int) -> int:
            dice = random.Random(number)
            made = 0
            for _ in range(12):
                spender = Spender(tenant, dice.choice(AGENTS), session_id=new_id(), holder=f"w{number}")
                usd = Decimal(dice.randint(1, 20)) / 100
                made += await check(budgets, spender, usd, "answered", Decimal(dice.random()))
                for scope, used in (await highest(own_hq)).items():
                    assert used <= {"tenant": 2, "agent:scout": Decimal("0.5")}.get(scope, 99)
            return made

        started = time.perf_counter()
        made = sum(await asyncio.gather(*(worker(number) for number in range(16))))
        print(f"{made} of 192 calls reserved and settled in {time.perf_counter() - started:.2f} s")

    assert made >= 10
    ((left,),) = await rows(own_hq, "select coalesce(sum(reserved_usd), 0) from ops.meters")
    assert left == 0


def test_the_books_always_balance(database, template, tmp_path):
    """Random calls at once, with every fate; after a sweep meters, days and log agree and nothing is set aside."""
    clock, address = FakeClock(), database

    @settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
    @given(calls=CALLS, cap=st.integers(50, 400))
    def holds(calls, cap):
        asyncio.run(once(calls, Decimal(cap) / 100))

    async def once(calls, cap: Decimal) -> None:
        async with open_door(address, vault_file=tmp_path / "vault.key", clock=clock, pool_size=16) as door:
            hq = Hq(door, address, template[1], clock)
            hq.token = await hq.tenant()
            await company(hq)
            await hq.do("budget.set", on="company", usd_hard=float(cap))
            tenant = (await rows(hq, "select id from ops.tenants order by created_at desc, id desc limit 1"))[0][0]
            budgets = Budgets(door.pool, clock)
            await asyncio.gather(
                *(
                    check(
                        budgets,
                        Spender(tenant, agent, session_id=new_id(), holder="gone"),
                        Decimal(cents) / 100,
                        fate,
                        Decimal(n) / 100,
                    )
                    for agent, cents, fate, n in calls
                )
            )
            await budgets.sweep()
            await balanced(address, tenant, cap)

    holds()


async def balanced(address, tenant, cap: Decimal) -> None:
    async with await psycopg.AsyncConnection.connect(address.url, autocommit=True) as conn:

        async def one(what: str, scope: str | None = None):
            more, values = (" and scope like %s", [tenant, scope]) if scope else ("", [tenant])
            return await (await conn.execute(f"select {what} where tenant_id = %s{more}", values)).fetchone()

        sums = "coalesce(sum(cost_usd), 0), coalesce(sum(tokens_in + tokens_out), 0)"  # none of them was kept by a provider
        log = await one(f"{sums}, count(*) from ops.llm_call_log")
        days = await one(f"{sums}, coalesce(sum(calls), 0) from ops.llm_daily")
        meter = await one("total_usd, total_tokens, day_usd, reserved_usd, reserved_tokens from ops.meters", "tenant")
        agents = await one("sum(total_usd), sum(reserved_usd) from ops.meters", "agent:%")
        open_ = await one("count(*) from ops.llm_reservations")
    assert log == days and meter[:2] == log[:2] and meter[2] <= cap
    assert meter[3:] == (0, 0) and agents == (log[0], 0) and open_ == (0,)
