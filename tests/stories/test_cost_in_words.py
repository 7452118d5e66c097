"""The same cost reads the same wherever it is told: on the report's card, in the catch-up, in the terminal, on pages, by `hq cost`."""

from __future__ import annotations

from decimal import Decimal

import pytest

from hq.web.missions import _mission
from hq.web.page_reads import PageReader
from tests.support.heart import heart
from tests.support.paying import Payroll, Priced
from tests.support.play import Told

__all__ = ["heart"]


@pytest.mark.parametrize(
    ("usd", "told"),
    [(Decimal("0.002"), "$0.004"), (None, "unpriced (2 calls)"), (Decimal(0), "free")],
    ids=["a fraction of a cent", "no price", "a model of one's own"],
)
async def test_a_cost_is_told_the_same_everywhere_and_never_as_nothing(heart, usd, told):
    hq = heart.hq
    await hq.do("agent.create", name="scout", role="Scout")
    slug = (await hq.do("mission.create", title="Count the birds", deliverables=["A short list"]))["slug"]
    await hq.do("mission.assign", ref=slug, to="scout")
    scout = await hq.agent("scout")
    await hq.do("mission.accept", ref=slug, _token=scout)
    await Payroll(hq).runner(Priced(Told(["I looked.", "I am done."]), usd)).run_once()
    await hq.do("mission.submit", ref=slug, outcome="Forty birds.", _token=scout)
    await heart.beat(minutes=1)

    async with PageReader.opened(hq.door, hq.token) as reader:
        page = await _mission(reader, slug)
    [card] = [each for each in await heart.cards() if each["kind"] == "report"]
    places = {
        "card": next(each["value"] for each in card["facts"] if each["name"] == "cost"),
        "catch-up": (await hq.do("ceo.brief"))["spent"],
        "mission": (await hq.do("mission.show", ref=slug))["now"]["cost"],
        "page": page.cost,
    }

    assert places == dict.fromkeys(places, f"{told}, 220 tokens")
    assert (await hq.do("cost.show"))["total"] == told
