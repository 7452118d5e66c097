"""A home of an earlier hq, in which plans, terms, help, questions and cards waited without an ask: each gets one, and is answered once."""

from __future__ import annotations

import psycopg
import pytest

from tests.support.jobs import JobHand

from .conftest import card, delegation, plan, question, terms


def forget_asks(hq) -> None:
    """As it was before there were asks: the facts of the missions, the messages and the cards alone."""
    with psycopg.connect(hq.address.url, autocommit=True) as conn:
        conn.execute("update ops.cards set ask = null")
        asks = "(select id from graph.nodes where type in ('proposal', 'question'))"
        conn.execute(f"delete from graph.edges where from_id in {asks}")
        conn.execute("delete from graph.nodes where type in ('proposal', 'question')")


@pytest.mark.parametrize("make", [plan, terms, delegation, question, card], ids=lambda make: make.__name__)
async def test_what_waited_before_is_in_the_inbox_and_is_answered(own_hq, make):
    hq = own_hq
    await hq.do("agent.load")
    made = await make(hq)
    forget_asks(hq)
    assert (await hq.do("ask.list"))["items"] == []

    tended = JobHand(hq, "work", "mail")
    for _ in range(2):
        await tended.run_once()
        await hq.do("ceo.tick")

    (ask,) = (await hq.do("ask.list"))["items"]
    told = await hq.do("ask.answer", ask=ask["slug"], **made.answer)
    assert not told["already"] and told.get("result", {"ok": True})["ok"]
    assert (await hq.do("ask.list"))["items"] == []


@pytest.mark.parametrize(
    ("make", "verb", "args"),
    [
        (plan, "mission.settle_plan", {"ref": "research-the-market"}),
        (terms, "mission.answer", {"ref": "research-the-market"}),
        (delegation, "delegation.approve", {"ref": "delegation-research-the-bakeries"}),
    ],
    ids=["plan", "terms", "delegation"],
)
async def test_the_old_commands_answer_it_even_before(own_hq, make, verb, args):
    hq = own_hq
    await hq.do("agent.load")
    await make(hq)
    forget_asks(hq)

    assert (await hq.call(verb, **args)).ok
    assert (await hq.do("ask.list"))["items"] == []


async def test_a_card_of_before_is_pressed_once(own_hq):
    hq = own_hq
    await hq.do("agent.load")
    await card(hq)
    forget_asks(hq)
    (shown,) = (await hq.do("card.list", open=True))["items"]

    pressed = [await hq.do("card.press", card=shown["id"], button="hire") for _ in range(2)]

    assert [each["already"] for each in pressed] == [False, True]
    assert pressed[0]["result"]["ok"]
    made = (await hq.do("action.list", verb="agent.create"))["items"]
    assert [row["status"] for row in made] == ["ok"]
