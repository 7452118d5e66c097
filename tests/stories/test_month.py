"""Twelve days, and a month, of a company by a clock of its own: everything noticed once, nobody nagged, and quiet days that cost nothing."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

import pytest

from hq.engine.sessions.leases import Leases
from hq.minds.service import Minds
from tests.support.jobs import JobHand
from tests.support.supervised import close

HOURS = {0: 8, 8: 2, 10: 2, 12: 2, 14: 2, 16: 2, 18: 6}
"""When somebody looks, and how long until the next look."""


class Counting:
    """Passes every question to a mind on and counts it."""

    def __init__(self, minds: Minds) -> None:
        self._minds, self.asked = minds, 0

    async def company(self, tenant, conn=None):
        return await self._minds.company(tenant)

    async def mind(self, tenant, tier):
        self.asked += 1
        return await self._minds.mind(tenant, tier)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("days", "idle"), [(12, range(5, 10)), pytest.param(30, range(18, 27), marks=pytest.mark.long)], ids=["12", "30"]
)
async def test_simulated_days(heart, days, idle):
    hq = heart.hq
    hq.door.services[Minds] = minds = Counting(hq.door.services[Minds])
    briefs = JobHand(hq, "morning-brief", "weekly-digest")
    await hq.do("agent.create", name="scout", role="Researcher")
    scout = await hq.agent("scout")
    expected: Counter[str] = Counter()
    approvals: list[str] = []
    hq.clock.set(first := hq.clock.now().replace(hour=0, minute=0))
    for day in range(days):
        for hour, until_next in HOURS.items():
            if day not in idle:
                await _live(heart, day, hour, scout, approvals, expected)
            for claimed in await Leases(hq.door.pool, hq.clock).claim(8):
                await close(heart, claimed)
            await briefs.run_once()
            await heart.beat(hours=until_next)

    seen = Counter(await noticed(heart))
    assert {trigger: seen[trigger] for trigger in expected} == dict(expected)
    assert seen["silence"] == 1, "the idle days are one silence"
    shown_by_day = Counter((datetime.fromisoformat(card["at"]) - first).days for card in await heart.cards())
    quiet = [shown_by_day[day] for day in idle][1:]
    assert sum(quiet) <= 1, "no nagging: at most the one check-in"
    assert max(shown_by_day.values()) <= 12
    assert minds.asked == 0
    cost = await hq.do("cost.show", since="60d")
    assert (cost["calls"], cost["cost_usd"], cost["costs"]) == (0, 0, []), "without a key nothing is spent"
    assert (await heart.look()) == 0


async def _live(heart, day: int, hour: int, scout: str, approvals: list[str], expected: Counter[str]) -> None:
    """What happens on a working day: work comes in and is done, somebody asks, the founder decides the next day."""
    hq = heart.hq
    if hour == 8:
        await hq.do("mission.create", title=f"Research topic {day}", deliverables=["A word"])
        expected["backlog"] += 1
    if hour == 12:
        [given] = (await hq.do("mission.list", status="assigned"))["items"]
        await hq.do("mission.accept", ref=given["slug"], _token=scout)
        await hq.do("mission.submit", ref=given["slug"], outcome="Done.", _token=scout)
        expected["task_done"] += 1
    if hour == 14:
        [review] = (await hq.do("mission.list", status="review"))["items"]
        await hq.do(
            "mission.sign_off", ref=review["slug"]
        )  # its card was there when it was handed in: one end, one card
    if hour == 16 and day % 3 == 0:
        for name in (f"A{day}", f"B{day}"):
            await hq.do("entity.create", name=name, slug=name.lower())
        token = await hq.agent("operator")
        waits = await hq.call("entity.merge", loser=f"b{day}", into=f"a{day}", _token=token)
        approvals.append(waits.data["approval"])
        expected["approval_waiting"] += 1
        expected["approval_stale"] += 1
    if hour == 10 and approvals:
        await hq.do("approval.approve", ref=approvals.pop())
        expected["approval_resolved"] += 1


async def noticed(heart) -> list[str]:
    found = []
    for trigger in ("backlog", "task_done", "approval_waiting", "approval_stale", "approval_resolved", "silence"):
        found += await heart.noticed(trigger)
    return found
