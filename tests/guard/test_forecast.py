"""P3: a forecast stands on the card of an approval, by what its like cost before; what has no price is said to have none."""

from __future__ import annotations

from decimal import Decimal

import pytest

from hq.asks import approval_text, ask_text
from hq.door.arguments import parse
from hq.door.tx import Call
from hq.minds.config import MindConfig
from hq.minds.mind import MindBusy
from hq.terminal.screen import Screen
from hq.web.inbox import of_ask
from tests.support.paying import Payroll, Priced
from tests.support.play import Told

DONE = '<task-complete reason="done"/>'
LOOKS = [("hq_task", {"action": "list", "limit": n + 1}) for n in range(6)]
UNPRICED = MindConfig("mine", "compatible", model="own-7b", base_url="http://127.0.0.1:9/v1")


@pytest.fixture
async def pay(own_hq) -> Payroll:
    await own_hq.do("agent.load")
    return Payroll(own_hq)


@pytest.fixture
async def priced(pay) -> Payroll:
    await pay.hq.do("vault.set", name="anthropic_api_key", value="sk-" + "x" * 40)
    await pay.hq.do("mind.set", name="anthropic", model="claude-sonnet-4-5", base_url="http://127.0.0.1:9")
    return pay


async def asks_to_hire(hq, **more) -> dict:
    """What the founder sees of a hire that the CEO asks for."""
    wanted = {"name": "Anvil", "title": "Developer", "role": "developer", **more}
    outcome = await hq.call("agent.hire", **wanted, _token=await hq.agent("chief"))
    assert outcome.error["code"] == "waiting", outcome.error
    return await hq.do("approval.show", ref=outcome.data["approval"])


async def worked(pay, agent: str, usd: str | None, times: int = 1) -> None:
    for _ in range(times):
        await pay.run(Priced(Told([DONE]), Decimal(usd) if usd else None), agent=agent)


async def test_p3_a_hire_is_forecast_by_what_others_cost_a_month(priced):
    hq = priced.hq
    await hq.do("agent.hire", name="forge", title="Tester", role="developer")
    await hq.do("agent.hire", name="scribe", title="Clerk", role="writer")
    await worked(priced, "forge", "0.05", 2)
    await worked(priced, "scribe", "0.20")
    hq.clock.advance(days=9)

    asked = (await asks_to_hire(hq))["props"]

    assert asked["forecast"] == "about $0.45 a month ($0.30 to $0.60), by what 2 other agents here cost in 10 days"
    assert asked["forecast_cost_usd"] == 0.45


async def test_p3_a_hire_into_a_seat_goes_by_who_had_it(priced):
    hq = priced.hq
    hired = await hq.do("agent.hire", name="forge", title="Developer", role="developer")
    await hq.do("agent.hire", name="scribe", title="Clerk", role="writer")
    await worked(priced, "forge", "0.05")
    await worked(priced, "scribe", "0.90")
    hq.clock.advance(days=2)
    await hq.do("org.unassign", position_id=hired["position_id"])

    asked = (await asks_to_hire(hq, daily_usd_hard=1))["props"]

    assert asked["forecast"] == (
        "about $0.50 a month, by what forge cost in this seat in 3 days; never more than $1.00 a day"
    )


async def test_p3_without_a_past_the_price_list_is_said_and_without_a_price_that_there_is_none(priced):
    hq = priced.hq
    listed = (await asks_to_hire(hq))["props"]
    assert "$0.02 to $0.12 a call by the price list of anthropic:claude-sonnet-4-5" in listed["forecast"]
    assert listed.get("forecast_cost_usd") is None

    await hq.do("mind.set", name="own", provider="compatible", model="own-7b", base_url="http://127.0.0.1:9/v1", rank=1)
    await hq.do("mind.remove", name="anthropic")
    unpriced = (await asks_to_hire(hq))["props"]["forecast"]
    assert unpriced.startswith("unpriced: nobody knows the price of") and "$" not in unpriced

    await hq.do("agent.hire", name="forge", title="Tester", role="developer")
    await worked(priced, "forge", None)
    used = (await asks_to_hire(hq))["props"]["forecast"]
    assert used.startswith("unpriced, about 3,300 tokens a month, by what the one other agent here cost")


async def test_p3_where_only_the_script_answers_nothing_is_paid(pay):
    asked = (await asks_to_hire(pay.hq))["props"]

    assert asked["forecast"] == "free: no model is set, so the script answers"


async def test_p3_a_raise_says_how_much_more_what_is_left_and_what_is_still_open(priced):
    hq = priced.hq
    whole = (await hq.do("mission.create", title="Fair"))["slug"]
    for title in ("Booth", "Flyers", "Talk"):
        await hq.do("mission.create", title=title, parent=whole)
    await hq.do("budget.set", on=whole, period="total", usd_hard=0.5)

    outcome = await hq.call("budget.raise", on=whole, period="total", usd=0.8, _token=await hq.agent("chief"))
    asked = (await hq.do("approval.show", ref=outcome.data["approval"]))["props"]

    assert asked["forecast"] == (
        "up to $0.30 more in all; nothing of $0.50 is spent, $0.50 left; 3 parts still open, and none done with a price to go by"
    )
    assert asked["forecast_cost_usd"] == pytest.approx(0.3)


async def test_p3_every_face_of_the_ask_shows_the_forecast(priced):
    hq = priced.hq
    await hq.do("agent.hire", name="forge", title="Tester", role="developer")
    await worked(priced, "forge", "0.05")
    shown = await asks_to_hire(hq)
    forecast = shown["props"]["forecast"]
    assert forecast.startswith("about $1.50 a month")

    [asked] = (await hq.do("ask.list"))["items"]
    assert {"name": "expected cost", "value": forecast} in asked["facts"]
    one = await hq.do("ask.show", ask=asked["slug"])
    assert {"name": "expected cost", "value": forecast} in one["facts"]
    screen = Screen(width=200)
    assert any(forecast in line for line in ask_text.inbox({"items": [asked]}, screen))
    assert any(forecast in line for line in approval_text.approval(shown, screen))
    assert ("expected cost", forecast) in of_ask(asked).facts
    card = await hq.do("card.send", kind="choice", ask=asked["slug"], _token=await hq.agent("chief"))
    [drawn] = [each for each in (await hq.do("card.list"))["items"] if each["id"] == card["id"]]
    assert {"name": "expected cost", "value": forecast} in drawn["facts"]


async def test_p3_a_card_whose_button_hires_shows_the_forecast_too(priced):
    hq = priced.hq
    await hq.do("agent.hire", name="forge", title="Tester", role="developer")
    await worked(priced, "forge", "0.05")
    hire = {
        "key": "yes",
        "label": "Hire",
        "verb": "agent.hire",
        "args": {"name": "Anvil", "title": "Smith", "role": "developer"},
    }

    sent = await hq.do("card.send", kind="hire", title="Hire Anvil?", buttons=[hire])

    [card] = [each for each in (await hq.do("card.list"))["items"] if each["id"] == sent["id"]]
    [asked] = (await hq.do("ask.list"))["items"]
    for facts in (card["facts"], asked["facts"]):
        assert facts[0]["name"] == "expected cost" and facts[0]["value"].startswith("about $1.50 a month")


@pytest.mark.parametrize(
    ("verb", "args"),
    [
        ("worker.spawn", {"task": "Look"}),
        ("subagent.run", {"subagent": "explore", "task": "Look"}),
        ("schedule.add", {"task": "Look", "when": "every day at 7"}),
        ("mission.delegate", {"ref": "fair", "title": "Booth", "to": "chief", "reason": "Time."}),
        ("code.execute", {"workspace": "app1", "prompt": "Build."}),
        ("project.run", {"project": "website", "task": "Fix."}),
    ],
)
async def test_p3_whatever_a_mind_or_a_program_is_paid_for_says_what_it_will_cost(priced, verb, args):
    forecast = await foretold(priced.hq, verb, args)

    assert forecast.says


async def test_p3_work_by_the_clock_is_forecast_by_its_starts_in_a_month(priced):
    hq = priced.hq
    listed = await foretold(hq, "schedule.add", {"task": "Look", "when": "every day at 7"})
    assert "by the price list" in listed.says
    free = await foretold(hq, "schedule.add", {"verb": "task.list", "when": "every day at 7"})
    assert free.says == "free: a call by the clock asks no model"


async def foretold(hq, name: str, args: dict):
    verb = hq.door.registry.verbs[name]
    look = Call("task.list", {}, hq.token)
    async with hq.door.opened(hq.door.registry.get("task.list"), look) as tx:
        return await verb.forecast(tx, parse(verb, args))


async def test_what_has_no_price_is_never_free_also_where_a_call_of_it_failed(priced):
    """154 calls without a price and 15 that failed were "free and 154 unpriced calls", and a mission of them "about free"."""
    hq = priced.hq
    await hq.do("mind.set", name="own", provider="compatible", model="own-7b", base_url="http://127.0.0.1:9/v1", rank=1)
    await hq.do("mind.remove", name="anthropic")
    await hq.do("agent.hire", name="forge", title="Tester", role="developer")
    await worked(priced, "forge", None)
    await priced.run(Priced(Told([MindBusy("quota", hq.clock.now())]), None), agent="forge")

    cost = await hq.do("cost.show")
    assert (cost["total"], cost["costs"][0]["cost"]) == ("unpriced (1 call)", "unpriced (1 call)")
    assert cost["costs"][0].get("cost_usd") is None and cost["costs"][0]["calls"] == 2
    assert (await asks_to_hire(hq))["props"]["forecast"].startswith("unpriced, about ")


async def test_a_hire_in_money_of_a_model_without_a_price_is_said_not_to_hold_and_one_in_tokens_does(priced):
    hq = priced.hq
    await hq.do("mind.set", name="own", provider="compatible", model="own-7b", base_url="http://127.0.0.1:9/v1", rank=1)
    await hq.do("mind.remove", name="anthropic")

    in_money = (await asks_to_hire(hq, daily_usd_hard=2))["props"]["forecast"]
    assert "never more than $" not in in_money
    assert "$2.00 a day does not hold it, as its model has no price; a limit in tokens would" in in_money

    in_tokens = (await asks_to_hire(hq, name="Vise", daily_usd_hard=2, daily_tokens_hard=200_000))["props"]["forecast"]
    assert in_tokens.endswith("as its model has no price; never more than 200,000 tokens a day")
    await hq.do("agent.hire", name="Vise", title="Clerk", role="writer", daily_usd_hard=2, daily_tokens_hard=1_000)
    _, ended = await priced.run(Priced(Told(LOOKS), None), agent="vise", config=UNPRICED)
    assert ended.state == "waiting" and (await hq.do("agent.show", ref="vise"))["props"]["status"] == "frozen"


async def test_what_is_left_to_spend_says_that_a_limit_in_money_does_not_hold_a_model_without_a_price(priced):
    """ "chief: $7.00 of $7.00 today" after a million tokens."""
    hq = priced.hq
    assert "- chief: $7.00 of $7.00 today" in (await hq.do("context.show", agent="chief"))["text"]

    await hq.do("mind.set", name="own", provider="compatible", model="own-7b", base_url="http://127.0.0.1:9/v1", rank=1)
    await hq.do("mind.remove", name="anthropic")
    await worked(priced, "chief", None)

    now = (await hq.do("context.show", agent="chief"))["text"]
    told = "$7.00 today does not hold compatible:own-7b, which has no known price; 110 tokens used"
    assert f"- chief: {told}" in now and "of $7.00" not in now
    [limit] = [each for each in (await hq.do("budget.show", on="chief"))["limits"] if each["period"] == "day"]
    assert limit["usd"] == "$7.00, which does not hold compatible:own-7b: it has no known price"
