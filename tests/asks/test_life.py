"""The one life: no sequence of answers, withdrawals, delays and looks of the clock leads out of it, and each ask acts at most once."""

from __future__ import annotations

import random

import pytest

from hq.asks.types import ASKS
from tests.support.jobs import JobHand

from .conftest import KINDS

ENDS = ("answered", "withdrawn", "expired")


@pytest.mark.parametrize("ask", ASKS, ids=lambda ask: ask.type)
def test_every_word_of_a_type_has_its_place_and_what_is_over_is_left_only_to_be_asked_again(ask):
    assert set(ask.life) == set(ask.states())
    assert ask.open_states() and ask.life[ask.withdrawn] == "withdrawn"
    assert ask.expired is None or ask.life[ask.expired] == "expired"
    for before, ends in ask.moves.items():
        for after in ends:
            if ask.life[before] == "withdrawn" and after not in ask.open_states():
                pytest.fail(f"{ask.type}: {before} → {after}")


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["approval", "proposal", "review", "question", "card", "terms"])
async def test_whatever_is_done_to_it_it_has_one_end_and_acts_once(hq, kind, seed):
    """A walk through the machine, against the simplest model of it."""
    dice = random.Random(f"{kind}{seed}")
    await hq.do("agent.load")
    made = await KINDS[kind](hq)
    upkeep = JobHand(hq, "asks")
    stands = "open"
    for _ in range(8):
        match dice.choice(["answer", "answer", "withdraw", "wait", "snooze", "strange", "clock"]):
            case "answer":
                told = await hq.call("ask.answer", ask=made.slug, **made.answer)
                if stands == "open" and told.ok:
                    assert not told.data["already"]
                    stands = "answered"
                elif told.ok:
                    assert told.data["already"]
            case "withdraw":
                told = await hq.call("ask.withdraw", ask=made.slug)
                assert told.ok is (stands == "open")
                stands = "withdrawn" if told.ok else stands
            case "wait":
                hq.clock.advance(hours=dice.choice([1, 30]))
            case "snooze":
                told = await hq.call("ask.snooze", ask=made.slug)
                assert told.ok is (stands == "open")
            case "strange" if kind != "question":  # which takes any words
                told = await hq.call("ask.answer", ask=made.slug, option="nonsense")
                assert not told.ok or told.data["already"]
            case "clock":
                await upkeep.run_once()
        now = (await hq.do("ask.show", ask=made.slug))["state"]
        if stands == "open" and now == "expired":
            stands = now
        assert now == stands
    answered = await hq.do("sql.query", query="select count(*) as many from hq.events where topic = 'ask.answered'")
    assert answered["items"][0]["many"] == (1 if stands == "answered" else 0)
