"""However much an agent asks, a permission that somebody waits for is seen, and what is not shown is counted."""

from __future__ import annotations

import pytest

from hq.asks.ask_text import inbox
from hq.asks.open_asks import OF_ONE
from hq.terminal.screen import Screen
from hq.web.assets import part
from hq.web.inbox import waiting
from hq.web.page_reads import PageReader
from hq.web.pages import CeoView

from .conftest import approval, org_change, review

MANY = 230


@pytest.fixture
async def flooded(hq):
    """Many questions of one agent, and behind them all a call that waits for a yes."""
    for _ in range(MANY):
        await review(hq)
    return hq, (await approval(hq)).slug


async def test_a_permission_comes_before_whatever_was_asked_before_it(flooded):
    hq, slug = flooded

    for limit in (1, 50, 200):
        listed = await hq.do("ask.list", limit=limit)
        assert listed["items"][0]["slug"] == slug
        assert (len(listed["items"]), listed["more"]) == (limit, MANY + 1 - limit)
    assert f"{MANY + 1 - 200} more wait" in list(inbox(listed, Screen()))[-1]


@pytest.mark.parametrize("only", [{"kind": "review"}, {"type": "review"}, {"kind": "review", "type": "review"}])
async def test_what_is_wanted_is_looked_for_before_it_is_counted(flooded, only):
    hq, slug = flooded
    listed = await hq.do("ask.list", limit=200, **only)

    assert (len(listed["items"]), listed["more"]) == (200, MANY - 200)
    [item] = (await hq.do("ask.list", kind="call"))["items"]
    assert item["slug"] == slug


async def test_kinds_and_types_that_exclude_each_other_find_nothing(hq):
    await review(hq)

    assert (await hq.do("ask.list", kind="review", type="approval"))["items"] == []
    assert (await hq.do("ask.list", kind="nonsense"))["items"] == []


async def test_as_it_was_then_permissions_came_first_too(hq):
    await review(hq)
    slug = (await approval(hq)).slug
    at = hq.clock.now().isoformat()

    assert (await hq.do("ask.list", _at=at))["items"][0]["slug"] == slug


async def test_the_page_says_how_many_more_there_are(flooded):
    hq, slug = flooded

    async with PageReader.opened(hq.door, hq.token) as reader:
        found = await waiting(reader)

    assert (found.cards[0].slug, found.total) == (slug, MANY + 1)
    assert f"{found.more} more wait" in part(
        "cards.html", cards=[], ceo=CeoView("Chief", "ready", ""), total=found.total, more=found.more
    )


async def test_an_agent_asks_no_more_at_once_than_somebody_can_look_through(hq):
    token, other = await hq.hired("forge"), await hq.hired("quill")
    asked = [await hq.call("review.create", question_text=f"Which {n}?", _token=token) for n in range(OF_ONE)]
    assert all(each.ok for each in asked), asked[-1].error

    more = await hq.call("review.create", question_text="And which?", _token=token)
    call = await hq.call("role.create", name="cook", _token=token)

    assert more.error["code"] == "conflict" and "withdraw" in more.error["hint"]
    assert call.error["code"] == "conflict"
    assert (await hq.call("review.create", question_text="And which?", _token=other)).ok
    await hq.do("ask.withdraw", ask=asked[0].data["slug"], _token=token)
    assert (await hq.call("review.create", question_text="And which?", _token=token)).ok


async def test_what_waits_for_a_seat_is_found_behind_any_number_of_others(hq):
    change = {"verb": "memo.create", "args": {"title": "M", "content_md": "x"}}
    for number in range(MANY):
        await hq.do("proposal.propose", kind=f"tweak {number}", change=change)
    slug = (await org_change(hq)).slug
    seat = await hq.do("position.show", org="software-development-development-1", title="AR Director")
    await hq.do("agent.hire", name="paula", position_id=seat["position_id"])
    director = await hq.agent("paula")

    assert [each["slug"] for each in (await hq.do("ask.list", _token=director))["items"]] == [slug]
    assert [each["approval"] for each in (await hq.do("org.proposals", _token=director))["items"]] == [slug]
