"""What waits is one rule: as it is now, and as it was then, for whoever it is asked, over one of each kind."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from hq.asks.forecast import FACT
from hq.asks.kinds import Kinds
from tests.support.one_of_everything import Firm

DIRECTORS = "role:ar-director"


@pytest.fixture
async def asked(firm: Firm) -> Firm:
    """One of each kind, and of what nearly waits: put off, too late, not begun, over by its own word; and what a seat may not decide."""
    hq, report = firm.hq, firm.tokens["report"]
    token = await hq.agent("operator", scopes=["read", "write", "write:org"])
    parked = await hq.call("org.archive", org=firm.organisation, _token=token)
    assert parked.error["code"] == "waiting", parked.error
    firm.asks["kept"] = parked.data["approval"]
    for name, more in {
        "deferred": {},
        "back": {},
        "begun-later": {"valid_from": "2030-01-01"},
        "over": {"valid_to": (hq.clock.now() + timedelta(minutes=30)).isoformat()},
    }.items():
        made = await hq.do("review.create", question_text=f"Which, {name}?", _token=report, **more)
        firm.asks[name] = made["slug"]
    await hq.do("ask.snooze", ask=firm.asks["deferred"], until="2h")
    await hq.do("ask.snooze", ask=firm.asks["back"], until="1h")
    hq.clock.advance(hours=1, minutes=1)
    return firm


async def listed(firm: Firm, **how: Any) -> list[dict[str, Any]]:
    """As it is told; but what an answer would cost by what its like cost, which is said of now alone."""
    items = (await firm.hq.do("ask.list", limit=200, **how))["items"]
    return [each | {"facts": [fact for fact in each["facts"] if fact["name"] != FACT]} for each in items]


async def test_what_waits_now_is_what_waited_then_for_everybody(asked):
    everybody = [f"agent:{each['slug']}" for each in (await asked.hq.do("agent.list", limit=200))["items"]]
    told = {to: await listed(asked, to=to) for to in ("all", "founder", DIRECTORS, *everybody)}

    assert {to: await listed(asked, to=to, _at="now") for to in told} == told
    kinds = asked.hq.door.services[Kinds].kinds
    assert {each["kind"] for each in told["all"]} == {each.name for each in kinds}, "one of each is looked at"
    slugs = {each["slug"] for each in told["all"]}
    assert {asked.asks[name] for name in ("kept", "back")} <= slugs
    assert slugs.isdisjoint({asked.asks[name] for name in ("deferred", "begun-later", "over")})
    assert (
        [each["kind"] for each in told[DIRECTORS]]
        == ["org_change"]
        == [each["kind"] for each in told["agent:director"]]
    )
    assert told["agent:chief"] and told["agent:lead"], "and somebody of each sort is asked"


@pytest.mark.parametrize(
    "who", ["founder", "ceo", "operator", "director", "lead", "report", "peer", "worker", "outsider"]
)
async def test_whoever_looks_sees_the_same_of_now_and_of_then(asked, who):
    mine = {"_token": asked.tokens[who]}

    for to in ({}, {"to": "all"}, {"to": "founder"}, {"to": DIRECTORS}):
        assert await listed(asked, **to, **mine, _at="now") == await listed(asked, **to, **mine), to


async def test_what_a_seat_may_not_decide_is_not_told_to_wait_for_it(asked):
    kept, director = asked.asks["kept"], asked.tokens["director"]

    shown = await asked.hq.do("org.proposals")
    decided = await asked.hq.call("org.decide", ref=kept, _token=director)

    assert kept not in [each["approval"] for each in shown["items"]] and len(shown["items"]) == 1
    assert decided.error["code"] in ("forbidden", "not_found")


async def test_a_list_of_then_counts_what_it_does_not_show(asked):
    for at in ({}, {"_at": "now"}):
        all_ = await asked.hq.do("ask.list", to="all", limit=200, **at)
        few = await asked.hq.do("ask.list", to="all", limit=2, **at)
        assert (len(few["items"]), few["more"]) == (2, len(all_["items"]) - 2)
        only = await asked.hq.do("ask.list", to="all", limit=1, type="review", **at)
        assert [each["type"] for each in only["items"]] == ["review"]
