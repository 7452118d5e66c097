"""P3 and P4: budgets bind before anything is spent, and nothing dead is shown alive."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from hq.engine.sessions.leases import Leases
from tests.support.paying import Payroll, Priced, rows
from tests.support.play import Play, Told, play  # noqa: F401

DONE = '<task-complete reason="done"/>'
LOOK = ("hq_task", {"action": "list"})


@pytest.fixture
async def pay(own_hq) -> Payroll:
    await own_hq.do("agent.create", name="scout", role="Scout")
    return Payroll(own_hq)


@pytest.mark.parametrize("period", ["run", "hour", "day", "month"])
@pytest.mark.parametrize(
    ("on", "limit"),
    [("scout", {"usd_hard": 0.12}), ("company", {"usd_hard": 0.12}), ("scout", {"tokens_hard": 1_400})],
)
async def test_p3_a_limit_of_any_period_binds_in_money_and_tokens_before_the_call(pay, on, limit, period):
    await pay.hq.do("budget.set", on=on, period=period, **limit)

    session, ended = await pay.run(Priced(Told([LOOK, DONE]), Decimal("0.05")))

    spent = (await rows(pay.hq, "select count(*), sum(cost_usd) from ops.llm_call_log where error is null"))[0]
    assert ended.state == "waiting" and spent[0] <= 1 and (spent[1] or 0) <= Decimal("0.12"), session
    assert not await rows(pay.hq, "select 1 from ops.llm_reservations"), "nothing stays set aside"
    [asked] = (await pay.hq.do("ask.list"))["items"]
    assert asked["type"] == "approval", "and somebody is asked, once"


class PricedByTier(Priced):
    """Near its limit a company is given the cheaper model, which has a price of its own."""

    async def answer(self, ask, *, on_text=None):
        usd = Decimal("0.002") if ask.tier == "light" else Decimal("0.05")
        return replace(await super().answer(ask, on_text=on_text), cost_usd=usd)


async def test_p3_what_is_under_way_counts_so_that_many_at_once_never_pass_it(pay):
    await pay.hq.do("budget.set", on="company", period="day", usd_hard=0.30)
    for name in ("a", "b", "c", "d", "e", "f"):
        await pay.hq.do("agent.create", name=name, role="Scout")
        await pay.send(name)
    await pay.runner(PricedByTier(Told([LOOK, LOOK, LOOK, DONE]))).run_once()

    [(spent,)] = await rows(pay.hq, "select sum(cost_usd) from ops.llm_call_log")
    assert 0 < spent <= Decimal("0.30")


async def test_p3_a_mind_without_a_price_is_said_to_be_unpriced_and_its_tokens_bind(pay):
    await pay.hq.do("budget.set", on="scout", period="day", tokens_hard=1_400)
    _, ended = await pay.run(Priced(Told([LOOK, DONE]), None))

    assert ended.state == "waiting"
    assert "unpriced" in str(await pay.hq.do("cost.show", agent="scout")).lower()


async def test_p4_every_state_is_told_apart_with_its_reason(play: Play):  # noqa: F811
    hq = play.hq

    async def state(session: str) -> str:
        return (await hq.do("session.show", id=session))["state"]

    queued = (await hq.do("agent.send", agent="scout", text="go"))["session"]
    assert await state(queued) == "queued"
    await Leases(hq.door.pool, hq.clock).claim(1)
    assert await state(queued) == "running" and (await presence(hq)) == "warm"

    await rows(hq, "update ops.sessions set lease_until = clock_timestamp() - interval '1 minute'")
    assert await state(queued) == "silent", "nobody holds it: it is not at work"
    assert (await presence(hq)) != "warm"
    [row] = (await hq.do("session.list", agent="scout"))["items"]
    assert row["state"] == "silent"


async def test_p4_a_conversation_whose_worker_died_does_not_say_that_it_works(play: Play):  # noqa: F811
    hq = play.hq
    await hq.do("chat.say", agent="scout", text="Hello?")
    await Leases(hq.door.pool, hq.clock).claim(1)
    assert (await hq.do("chat.status", agent="scout"))["state"] == "working"

    await rows(hq, "update ops.sessions set lease_until = clock_timestamp() - interval '1 minute'")

    status = await hq.do("chat.status", agent="scout")
    assert status["state"] == "waiting" and "fell silent" in status["why"]


async def test_p4_what_waits_says_for_what_and_what_is_over_says_how(play: Play):  # noqa: F811
    hq = play.hq
    await hq.do("entity.create", name="Acme")
    await hq.do("entity.create", name="Acme Inc")
    merge = ("hq_entity", {"action": "merge", "loser": "acme-inc", "into": "acme"})
    waiting, ended = await play.run([merge, DONE], tools=("entity.merge",))
    assert ended.state == "waiting"
    assert str((await hq.do("session.show", id=waiting))["waits_for"][0]).startswith("approval:")
    done, ended = await play.run([DONE], text="again")
    shown = await hq.do("session.show", id=done)
    assert (ended.state, shown["state"], shown["exit_code"]) == ("done", "done", 0) and shown["closed_as"]


async def presence(hq) -> str:
    return (await hq.do("agent.presence", agent="scout"))["presence"]
