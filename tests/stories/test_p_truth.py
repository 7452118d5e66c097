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


async def seated(hq, name: str, title: str = "Developer") -> None:
    await hq.do("agent.hire", name=name, title=title, role="developer")


async def office(hq) -> str:
    return (await hq.do("org.list"))["items"][0]["slug"]


@pytest.mark.parametrize("limit", [{"usd_hard": 0.12}, {"tokens_hard": 1_400}])
@pytest.mark.parametrize("period", ["hour", "day", "month", "total"])
async def test_p3_a_seat_has_a_limit_that_binds_whoever_sits_there(pay, limit, period):
    await seated(pay.hq, "forge")
    [seat] = [each["slug"] for each in (await pay.hq.do("position.list"))["items"] if each["title"] == "Developer"]
    await pay.hq.do("budget.set", on=seat, period=period, **limit)

    _, ended = await pay.run(Priced(Told([LOOK, DONE]), Decimal("0.05")), agent="forge")

    assert ended.state == "waiting"
    [asked] = (await pay.hq.do("ask.list"))["items"]
    assert "the seat Developer" in asked["text"], asked
    _, other = await pay.run(Priced(Told([LOOK, DONE]), Decimal("0.05")))
    assert other.state == "done", "who sits elsewhere goes on"


async def why(hq) -> str:
    [approval] = (await hq.do("approval.list", status="pending"))["items"]
    return (await hq.do("approval.show", ref=approval["slug"]))["props"]["why"]


async def test_p3_an_organisation_has_a_limit_for_all_its_seats_together(pay):
    await seated(pay.hq, "forge")
    await seated(pay.hq, "anvil", "Tester")
    await pay.hq.do("budget.set", on=await office(pay.hq), period="day", usd_hard=0.12)

    _, first = await pay.run(Priced(Told([DONE]), Decimal("0.05")), agent="forge")
    _, second = await pay.run(Priced(Told([LOOK, DONE]), Decimal("0.05")), agent="anvil")

    assert (first.state, second.state) == ("done", "waiting")
    [shown] = (await pay.hq.do("budget.show", on=await office(pay.hq)))["limits"]
    assert shown["usd_spent"] <= 0.12
    await pay.hq.do("approval.approve", ref=(await pay.hq.do("approval.list", status="pending"))["items"][0]["slug"])
    await pay.again(Priced(Told([DONE]), Decimal("0.05")))
    assert (await pay.hq.do("budget.show", on=await office(pay.hq)))["limits"][0]["usd_hard"] > 0.12


async def test_p3_the_owners_limit_is_that_of_the_whole_company(pay):
    founder = (await pay.hq.do("contact.list"))["items"][0]["slug"]
    await pay.hq.do("budget.set", on=founder, period="day", usd_hard=0.12)

    _, ended = await pay.run(Priced(Told([LOOK, DONE]), Decimal("0.05")))

    assert ended.state == "waiting"
    assert (await pay.hq.do("budget.show"))["limits"][0]["usd_hard"] == 0.12


async def test_p3_who_leaves_a_seat_does_not_stand_at_its_limit(pay):
    hq = pay.hq
    await seated(hq, "forge")
    [seat] = [each for each in (await hq.do("position.list"))["items"] if each["title"] == "Developer"]
    await hq.do("budget.set", on=seat["slug"], period="month", usd_hard=0.12)
    _, ended = await pay.run(Priced(Told([LOOK, DONE]), Decimal("0.05")), agent="forge")
    assert ended.state == "waiting" and (await hq.do("agent.show", ref="forge"))["props"]["status"] == "frozen"

    await hq.do("org.unassign", position_id=seat["position_id"])
    await hq.do("budget.set", on="scout", period="day", usd_hard=5)  # any change looks again at who stands where

    assert (await hq.do("agent.show", ref="forge"))["props"]["status"] == "active"


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
