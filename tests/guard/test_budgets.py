"""Money: what a session may spend, what happens at the limits, and that what it cost is told truly."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from decimal import Decimal
from uuid import UUID

import httpx2
import pytest
from pydantic_ai.messages import ModelRequest

from hq.coding.gateway import Metered
from hq.guard.budgets import Budgets, BudgetStanding, Spender
from hq.guard.estimate import Estimate
from hq.minds.config import MindConfig
from hq.minds.mind import MindBusy, MindDown, MindRequest, TokenUsage
from hq.minds.prices import counted
from hq.minds.provider import ProviderMind
from hq.sessions import mind_call
from tests.support.jobs import JobHand
from tests.support.paying import Payroll, Priced, rows
from tests.support.play import Told
from tests.support.provider import Fault

DONE = '<task-complete reason="done"/>'
LOOK = ("hq_task", {"action": "list"})
UNPRICED = MindConfig("mine", "compatible", model="own-7b", base_url="http://127.0.0.1:9/v1")
# A call may cost about 8.3 cents: 8192 tokens of answer. It then costs 5.


@pytest.fixture
async def pay(own_hq) -> Payroll:
    await own_hq.do("agent.create", name="scout", role="Scout")
    return Payroll(own_hq)


def says(*lines, usd: str | None = "0.05") -> Priced:
    return Priced(Told(lines), Decimal(usd) if usd else None)


async def spent(hq, on: str = "scout") -> dict:
    return (await hq.do("budget.show", on=on))["limits"][0]


async def the_approval(hq) -> dict:
    (approval,) = (await hq.do("approval.list", status="pending"))["items"]
    return approval


async def nothing_reserved(hq) -> bool:
    left = await rows(hq, "select sum(reserved_usd), sum(reserved_tokens) from ops.meters")
    return not any(left[0]) and not await rows(hq, "select 1 from ops.llm_reservations")


async def test_every_call_is_logged_with_its_price_and_nothing_stays_reserved(pay):
    session, ended = await pay.run(says(LOOK, DONE))

    assert ended.state == "done"
    calls = (await pay.hq.do("cost.calls", session=session))["items"]
    assert [(c["cost"], c["tokens"], c["step"], c["model"]) for c in calls] == [
        ("$0.05", "100+10", 4, "anthropic:claude-sonnet-5-5"),
        ("$0.05", "100+10", 2, "anthropic:claude-sonnet-5-5"),
    ]
    assert await nothing_reserved(pay.hq)


async def test_at_a_hard_limit_the_agent_freezes_and_asks_and_goes_on_when_it_is_raised(pay):
    hq = pay.hq
    await hq.do("agent.update", ref="scout", daily_usd_hard=0.12)
    session, ended = await pay.run(says(LOOK, DONE))

    assert ended.state == "waiting"
    assert (await hq.do("agent.show", ref="scout"))["props"]["status"] == "frozen"
    topics = await pay.topics()
    assert topics.count("agent.frozen") == topics.count("budget.exceeded") == 1
    approval = await the_approval(hq)
    assert "has spent $0.05 of $0.12 today" in (await hq.do("approval.show", ref=approval["slug"]))["props"]["why"]

    await hq.do("approval.approve", ref=approval["slug"])
    await pay.again(says(LOOK, DONE))

    assert pay.ended[session].state == "done"
    assert (await hq.do("agent.show", ref="scout"))["props"]["status"] == "active"
    assert (await spent(hq))["usd_hard"] == 0.18 and (await spent(hq))["usd_spent"] == 0.1


async def test_a_raise_by_hand_wakes_the_session_too(pay):
    await pay.hq.do("agent.update", ref="scout", daily_usd_hard=0.12)
    session, _ = await pay.run(says(LOOK, DONE))

    raised = await pay.hq.do("budget.raise", on="scout", usd=1)
    await pay.again(says(LOOK, DONE))

    assert raised["thawed"] == ["scout"] and pay.ended[session].state == "done"


async def test_after_a_no_it_waits_for_the_next_day_without_asking_again(pay, clock):
    await pay.hq.do("agent.update", ref="scout", daily_usd_hard=0.12)
    session, _ = await pay.run(says(LOOK, DONE))
    await pay.hq.do("approval.reject", ref=(await the_approval(pay.hq))["slug"])
    await pay.again(says(LOOK, DONE))
    assert pay.ended[session].state == "waiting"
    assert not (await pay.hq.do("approval.list", status="pending"))["items"]

    clock.advance(days=1)
    await pay.again(says(LOOK, DONE))

    assert pay.ended[session].state == "done"
    assert (await pay.hq.do("agent.show", ref="scout"))["props"]["status"] == "active"


async def test_a_frozen_agent_takes_no_message_until_its_day_turns(pay, clock):
    hq = pay.hq
    await hq.do("agent.update", ref="scout", daily_usd_hard=0.12)
    session, _ = await pay.run(says(LOOK, DONE))
    refused = await hq.call("agent.send", agent="scout", text="and now?")
    assert refused.error["code"] == "conflict" and "hq budget show scout" in refused.error["hint"]
    await hq.do("session.stop", id=session)

    clock.advance(days=1)

    assert await pay.send()


async def test_a_soft_limit_warns_once_a_day(pay, clock):
    await pay.hq.do("agent.update", ref="scout", daily_usd_soft=0.05, daily_usd_hard=5)
    for _ in range(3):
        await pay.run(says(LOOK, DONE))
    assert (await pay.topics()).count("budget.warned") == 1

    clock.advance(days=1)
    await pay.run(says(DONE))

    assert (await pay.topics()).count("budget.warned") == 2


async def test_without_a_price_tokens_are_counted_and_money_is_said_to_be_unknown(pay):
    hq = pay.hq
    await pay.run(says(DONE, usd=None), config=UNPRICED)
    cost = await hq.do("cost.show")
    assert (cost["total"], cost["unpriced"]) == ("unpriced (1 call)", 1)
    assert (cost["costs"][0]["cost"], cost["costs"][0].get("cost_usd")) == ("unpriced (1 call)", None)

    await hq.do("budget.set", on="scout", tokens_hard=1_400)
    session, ended = await pay.run(says(LOOK, LOOK, LOOK, LOOK, LOOK, DONE, usd=None), config=UNPRICED)

    assert ended.state == "waiting"
    waits = await hq.do("session.replay", id=session)
    assert "tokens of 1,400 tokens today" in str(waits["items"][-1]["payload"])


async def test_the_company_and_a_mission_have_limits_of_their_own(pay):
    hq = pay.hq
    await hq.do("agent.create", name="forge", role="Builder")
    await hq.do("budget.set", on="company", period="month", usd_hard=0.12)
    await pay.run(says(DONE))

    _, ended = await pay.run(says(DONE), agent="forge")

    assert ended.state == "waiting"
    listed = {(row["on"], row["period"]): row for row in (await hq.do("budget.list"))["items"]}
    assert listed["company", "month"]["usd"] == "$0.05 of $0.12"


async def test_a_run_that_has_used_its_tokens_asks_and_goes_on_with_a_yes(pay):
    await pay.hq.do("agent.update", ref="scout", tokens_per_run_cap=1_400)
    mind = says(LOOK, ("hq_task", {"action": "list", "limit": 2}), LOOK, LOOK, DONE)

    session, ended = await pay.run(mind)

    approval = await the_approval(pay.hq)
    assert ended.state == "waiting" and "in this run" in approval["title"] + str(approval)
    assert (await pay.hq.do("agent.show", ref="scout"))["props"]["status"] == "active"  # other work of it goes on
    await pay.hq.do("approval.approve", ref=approval["slug"])
    await pay.again(mind)
    assert pay.ended[session].state == "done"


async def test_a_run_whose_tokens_are_not_raised_ends_with_the_reason(pay):
    await pay.hq.do("agent.update", ref="scout", tokens_per_run_cap=1_400)
    mind = says(LOOK, ("hq_task", {"action": "list", "limit": 2}), LOOK, LOOK, DONE)
    session, _ = await pay.run(mind)
    await pay.hq.do("approval.reject", ref=(await the_approval(pay.hq))["slug"])

    await pay.again(mind)

    assert (pay.ended[session].state, pay.ended[session].exit_code) == ("failed", 1)
    assert "in this run" in pay.ended[session].why and "the founder said no" in pay.ended[session].why


async def test_a_conversation_is_never_over_for_its_tokens_and_says_how_it_goes_on(pay):
    """Each call reads 110 tokens: whatever a run may use, the thread goes on from what it summed up."""
    await pay.hq.do("agent.update", ref="scout", tokens_per_run_cap=300)
    looks = [("hq_task", {"action": "list", "limit": n + 1}) for n in range(5)]
    told = iter([*looks, "Summed up: five lists were read.", "All read.", "Yes."])
    asked: list[str] = []

    def speak(ask):
        asked.append(str(ask.messages))
        if "Sum up the whole conversation" in asked[-1]:
            return "Summed up: the founder wants the lists read."
        return next(told)

    runner = pay.runner(Priced(Told(speak)), tokens_per_run=300, tools=None)
    session = (await pay.hq.do("chat.say", agent="scout", text="Read the lists."))["session"]
    await runner.run_once()
    for _ in range(2):
        await pay.hq.do("chat.say", agent="scout", text="And?")
        await runner.run_once()

    assert pay.ended[session].state == "waiting"
    lines = [line["text"] for line in (await pay.hq.do("chat.history", agent="scout"))["items"]]
    assert lines[-1] == "Yes." and any("summed up what was said and done, and go on" in line for line in lines)
    assert not any("stopped" in line for line in lines)
    assert any("Summed up: the founder wants the lists read." in each for each in asked)


async def test_what_comes_from_the_cache_counts_by_its_price(pay):
    """200,000 tokens a run were used up after seven calls of which nine tenths cost next to nothing."""
    assert counted("anthropic:claude-sonnet-4-5", TokenUsage(100_000, 1_000, 90_000)) == 20_000
    assert counted("compatible:own-7b", TokenUsage(100_000, 1_000, 90_000)) == 20_000
    await pay.hq.do("agent.update", ref="scout", tokens_per_run_cap=60_000)

    class Cached(Told):
        async def answer(self, ask, *, on_text=None):
            return replace(await super().answer(ask), usage=TokenUsage(40_000, 100, 39_000))

    looks = [("hq_task", {"action": "list", "limit": n + 1}) for n in range(4)]
    _, ended = await pay.run(Priced(Cached([*looks, DONE])))

    assert ended.state == "done"
    assert await rows(pay.hq, "select distinct tokens_counted from ops.llm_call_log") == [(3_050,)], (
        "a twentieth, by the list"
    )


class Growing(Told):
    """Reads more with every call; of a cache it says nothing, unless it is told how much of a question that keeps."""

    def __init__(self, lines, *kept: int) -> None:
        super().__init__(lines)
        self.kept = iter(kept)
        self.calls = 0

    async def answer(self, ask, *, on_text=None):
        self.calls += 1
        usage = TokenUsage(4_300 + 300 * self.calls, 60, next(self.kept, 0))
        return replace(await super().answer(ask), usage=usage)


LOOKS = [("hq_task", {"action": "list", "limit": n + 1}) for n in range(4)]


async def test_ten_thousand_tokens_finish_something_also_where_a_server_says_nothing_of_its_cache(pay):
    """Counted in full, two calls would have used them up. A day's limit holds a bill, so there they are."""
    await pay.hq.do("budget.set", on="scout", period="total", tokens_hard=10_000)

    session, ended = await pay.run(Priced(Growing([*LOOKS, DONE]), None), config=UNPRICED)

    assert ended.state == "done"
    counted_ = [n for (n,) in await rows(pay.hq, "select tokens_counted from ops.llm_call_log order by id")]
    assert counted_[0] == 4_660 and all(n < 1_000 for n in counted_[1:]), "what it sent a moment before counts as kept"
    steps = (await pay.hq.do("session.replay", id=session))["items"]
    assert [s["payload"]["tokens_counted"] for s in steps if "tokens_counted" in s["payload"]] == counted_
    ((today,),) = await rows(pay.hq, "select day_tokens from ops.meters where scope = 'agent:scout'")
    ((told,),) = await rows(pay.hq, "select sum(tokens_in + tokens_out) from ops.llm_call_log")
    assert today == told


async def test_a_server_that_says_what_its_cache_kept_is_believed_where_that_was_nothing(pay):
    await pay.hq.do("budget.set", on="scout", tokens_hard=10_000)
    kept = replace(UNPRICED, model="own-7b")

    class Says(Priced):
        async def answer(self, ask, *, on_text=None):
            return replace(await super().answer(ask), model="compatible:own-7b")

    _, ended = await pay.run(Says(Growing([*LOOKS, DONE], 0, 4_096, 0), None), config=kept)

    assert ended.state == "waiting"
    counted_ = [n for (n,) in await rows(pay.hq, "select tokens_counted from ops.llm_call_log order by id")]
    assert counted_ == [4_660, 1_274, 5_260][: len(counted_)]


async def test_turns_on_the_strongest_model_are_counted(pay):
    await pay.hq.do("agent.update", ref="scout", opus_turns_per_day_cap=1)

    _, ended = await pay.run(says(LOOK, DONE), text="Write a decision record")

    assert ended.state == "waiting"
    assert (await spent(pay.hq))["heavy"].startswith("1 turns on the strongest model of 1")


async def test_a_call_that_was_turned_away_costs_nothing_and_is_logged(pay, clock):
    await pay.run(says(MindBusy("quota", clock.now())))

    (call,) = (await pay.hq.do("cost.calls"))["items"]
    assert (call["error"], call["cost"]) == ("busy", "nothing") and await nothing_reserved(pay.hq)


async def test_a_mind_that_hangs_is_given_up_and_counts_as_estimated(pay, monkeypatch):
    monkeypatch.setattr(mind_call, "PATIENCE", 0.05)

    class Hangs:
        name = "hangs"

        async def answer(self, ask, *, on_text=None):
            await asyncio.Event().wait()

    _, ended = await pay.run(Hangs())

    assert ended.state == "waiting"
    (call,) = (await pay.hq.do("cost.calls"))["items"]
    assert call["error"] == "timeout" and call["cost"].startswith("about $0.00"), "its question: nobody saw an answer"
    assert call["tokens"].endswith("+0") and call["tokens"] != "0+0"


async def test_a_call_that_timed_out_costs_its_question_and_what_had_come_of_it(pay, provider):
    """A part of 10,000 tokens would be used up by one call that nobody answered."""
    config = MindConfig("claude", "anthropic", "claude-sonnet-5-5", provider.url, "a_key", seconds=3)
    async with httpx2.AsyncClient() as http:
        asked = MindRequest([ModelRequest.user_text_prompt("help")])
        await ProviderMind(replace(config, seconds=60), "sk-test", http, pay.hq.clock).answer(
            asked
        )  # what is slow once
        provider.faults.append(Fault("stall", after=12))
        await pay.run(ProviderMind(config, "sk-test", http, pay.hq.clock))

    (call,) = (await pay.hq.do("cost.calls"))["items"]
    went_in, came_out = map(int, call["tokens"].split("+"))
    assert call["error"] == "timeout" and call["cost"].startswith("about $0.00")
    assert went_in > 100 and 0 < came_out < 100 and await nothing_reserved(pay.hq)


async def test_what_a_killed_worker_left_counts_as_spent_and_is_said(pay):
    hq = pay.hq
    session = await pay.send()
    runner = pay.runner(says(DONE))
    (claimed,) = await runner.leases.claim(1)
    await runner.company.budget(claimed, mind_call.MindRequest([]), await runner.company.config(claimed))
    assert await JobHand(hq, "watchdog").run_once() == 0 and not await nothing_reserved(hq)
    await rows(hq, "update ops.sessions set lease_until = clock_timestamp() - interval '1 second'")

    await JobHand(hq, "watchdog").run_once()

    assert await nothing_reserved(hq)
    (call,) = (await hq.do("cost.calls", session=session))["items"]
    assert call["error"] == "unsettled" and call["cost"].startswith("about $0.00") and call["tokens"].endswith("+0")


async def test_who_takes_a_killed_workers_session_over_counts_its_call_first(pay):
    session = await pay.send()
    runner = pay.runner(says(DONE))
    (claimed,) = await runner.leases.claim(1)
    await runner.company.budget(claimed, mind_call.MindRequest([]), await runner.company.config(claimed))
    await rows(pay.hq, "update ops.sessions set lease_until = clock_timestamp() - interval '1 second'")

    await pay.runner(says(DONE)).run_once()

    calls = (await pay.hq.do("cost.calls", session=session))["items"]
    assert [call.get("error") for call in calls] == [None, "unsettled"]
    assert await nothing_reserved(pay.hq)


async def test_a_coding_call_under_way_costs_what_it_costs_whatever_its_session_does_meanwhile(pay):
    """It is made beside the session, which may rest or ask its own mind: neither the watchdog nor that takes it for lost."""
    session = await pay.send()
    (tenant,) = (await rows(pay.hq, "select tenant_id from ops.sessions"))[0]

    class Long:
        name = "long"

        async def answer(self, ask, *, on_text=None):
            await JobHand(pay.hq, "watchdog").run_once()
            if not ask.instructions:  # a program asks several things at once
                await coding.answer(MindRequest([], instructions="inner"))
                await pay.runner(says(DONE)).run_once()
            return await says("Done.", usd="0.013").answer(ask)

    budgets = Budgets(pay.hq.door.pool, pay.hq.clock)
    spender = Spender(tenant, "scout", session_id=UUID(session), purpose="code 1")
    coding = Metered(Long(), [MindConfig("claude", "anthropic")], budgets, spender, 100_000, False, str)
    await coding.answer(MindRequest([]))

    calls = (await pay.hq.do("cost.calls", session=session))["items"]
    assert sorted((call["cost"], call.get("error")) for call in calls) == [
        ("$0.013", None), ("$0.013", None), ("$0.05", None),
    ]  # fmt: skip
    assert await nothing_reserved(pay.hq)


@pytest.mark.parametrize("after", [0, 12])
async def test_a_coding_call_that_is_broken_off_costs_what_had_come_of_it(pay, provider, after):
    """Not the longest answer there may be: nobody gave that."""
    session = await pay.send()
    (tenant,) = (await rows(pay.hq, "select tenant_id from ops.sessions"))[0]
    provider.faults.append(Fault("stall", after=after))
    config = MindConfig("claude", "anthropic", "claude-sonnet-5-5", provider.url, "a_key")
    spender = Spender(tenant, "scout", session_id=UUID(session), purpose="code 1")
    async with httpx2.AsyncClient() as http:
        mind = ProviderMind(config, "sk-test", http, pay.hq.clock)
        budgets = Budgets(pay.hq.door.pool, pay.hq.clock)
        asked: list[MindRequest] = []

        class Watched:
            name = "watched"

            async def answer(self, ask, *, on_text=None):
                asked.append(ask)
                return await mind.answer(ask)

        coding = Metered(Watched(), [config], budgets, spender, 100_000, False, str)
        under_way = asyncio.create_task(coding.answer(MindRequest([ModelRequest.user_text_prompt("help " * 200)])))
        async with asyncio.timeout(100):
            while not provider.seen or (after and not asked[0].heard.so_far().response.parts):
                await asyncio.sleep(0.01)
        under_way.cancel()
        await asyncio.gather(under_way, return_exceptions=True)

    (call,) = (await pay.hq.do("cost.calls", session=session))["items"]
    went_in, came_out = map(int, call["tokens"].split("+"))
    assert call["error"] == "interrupted" and call["cost"].startswith("about $0.00")
    assert 100 < went_in < 500 and (came_out > 1 if after else came_out < 2)
    assert (coding.used.tokens, coding.used.calls) == (went_in + came_out, 1) and await nothing_reserved(pay.hq)


async def test_a_coding_call_whose_process_is_gone_is_counted_in_the_end(pay):
    session = await pay.send()
    (tenant,) = (await rows(pay.hq, "select tenant_id from ops.sessions"))[0]
    spender = Spender(tenant, "scout", session_id=UUID(session), purpose="code 1")
    estimate = Estimate("anthropic", "anthropic:m", "default", 900, 100, Decimal("0.33"))
    await Budgets(pay.hq.door.pool, pay.hq.clock).reserve(spender, estimate)
    await rows(pay.hq, "update ops.llm_reservations set put_at = put_at - interval '61 minutes'")

    await JobHand(pay.hq, "watchdog").run_once()

    (call,) = (await pay.hq.do("cost.calls", session=session))["items"]
    assert (call["error"], call["cost"]) == ("unsettled", "about $0.33")


async def test_settled_late_it_is_not_counted_twice(pay):
    await pay.send()
    runner = pay.runner(says(DONE))
    (claimed,) = await runner.leases.claim(1)
    reserved = await runner.company.budget(claimed, mind_call.MindRequest([]), await runner.company.config(claimed))
    await rows(pay.hq, "update ops.sessions set lease_until = clock_timestamp() - interval '1 second'")
    await JobHand(pay.hq, "watchdog").run_once()

    await reserved.settle(None, MindDown("too late"))

    assert len((await pay.hq.do("cost.calls"))["items"]) == 1 and await nothing_reserved(pay.hq)


async def test_the_script_sets_nothing_aside_and_is_in_no_bill(pay):
    await pay.run(Told([DONE]), config=MindConfig("s", "script"))

    assert (await pay.hq.do("cost.show"))["total"] == "no model was asked"


async def test_sums_by_agent_model_day_and_mission_are_those_of_the_log(pay, clock):
    hq = pay.hq
    await hq.do("agent.create", name="forge", role="Builder")
    for day in range(3):
        await pay.run(says(LOOK, DONE, usd=f"0.0{day + 1}"))
        await pay.run(says(DONE, usd="0.011"), agent="forge")
        await pay.run(says(DONE, usd=None), agent="forge", config=UNPRICED)
        clock.advance(days=1)
    ((cost, calls, unpriced),) = await rows(
        hq, "select sum(cost_usd)::float, count(*), count(*) filter (where not priced) from ops.llm_call_log"
    )

    for by in ("agent", "model", "day", "mission"):
        shown = await hq.do("cost.show", by=by, since="30d")
        assert (shown["cost_usd"], shown["calls"], shown["unpriced"]) == (pytest.approx(cost), calls, unpriced), by
    assert (await hq.do("cost.show", by="agent", agent="scout"))["cost_usd"] == pytest.approx(0.12)


async def test_pressure_is_the_trend_of_seven_days_against_the_cap(pay, clock):
    house = pay.runner(says(DONE)).company
    tenant = (await rows(pay.hq, "select id from ops.tenants"))[0][0]
    budgets = house.spending.budgets
    assert await budgets.standing(tenant, "scout") == BudgetStanding(0, 0, None)
    await pay.hq.do("budget.set", on="scout", usd_hard=0.2)
    for _ in range(7):
        await pay.run(says(LOOK, DONE))
        clock.advance(days=1)

    assert (await budgets.standing(tenant, "scout")).pressure == pytest.approx(0.5)


async def test_an_agent_cannot_raise_its_own_limit_and_nobody_lowers_by_raising(pay):
    hq = pay.hq
    await hq.do("budget.set", on="scout", usd_hard=1)
    agent = await hq.agent("scout")

    assert (await hq.call("budget.raise", on="scout", usd=9, _token=agent)).error["code"] == "waiting"
    assert (await hq.call("budget.set", on="scout", usd_hard=9, _token=agent)).error["code"] == "forbidden"
    lower = await hq.call("budget.raise", on="scout", usd=0.5)
    assert lower.error["code"] == "invalid" and "hq budget set" in lower.error["message"]
    task = (await hq.do("task.create", title="T"))["slug"]
    assert "agent, a mission" in (await hq.call("budget.set", on=task, usd_hard=9)).error["message"]
    assert (await hq.call("budget.set", on="scout")).error["code"] == "invalid"


async def test_a_budget_that_is_set_can_be_undone_and_taken_away(pay):
    hq = pay.hq
    await hq.do("agent.update", ref="scout", daily_usd_hard=7)
    outcome = await hq.call("budget.set", on="scout", usd_hard=1)
    assert (await spent(hq))["usd_hard"] == 1
    await hq.do("action.undo", id=str(outcome.action_id))
    assert (await spent(hq))["usd_hard"] == 7
    await hq.do("budget.set", on="scout", usd_hard=2)
    await hq.do("budget.set", on="scout", off=True)
    assert (await spent(hq))["usd_hard"] == 7
