"""What a freeze or a rest stops of clocks is one rule: beats, schedules, jobs, deadlines and missions nobody has."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.support.jobs import JobHand
from tests.support.supervised import Supervised

SEVEN = datetime(2026, 1, 2, 7, tzinfo=UTC)


async def employed(house: Supervised) -> str:
    """An agent with a seat in an organisation; the organisation."""
    org = (await house.hq.do("org.create", template="software-team"))["slug"]
    seat = await house.hq.do("position.show", org=org, title="Developer")
    await house.hq.do("agent.hire", name="dev", position_id=seat["position_id"])
    return org


async def started(house: Supervised, agent: str) -> int:
    return len(await house.sessions(agent=agent))


async def overdue(house: Supervised) -> list[str]:
    return [each["title"] for each in (await house.hq.do("escalation.list"))["items"]]


async def stop(house: Supervised, how: str, org: str) -> None:
    if how == "dormant":
        await house.hq.do("org.update", org=org, status="dormant")
    elif how == "paused":
        await house.hq.do("agent.pause", agent="dev")
    else:
        await house.hq.do("freeze.set", scope=f"organisation:{org}" if how == "frozen" else how)


async def let_go(house: Supervised, how: str, org: str) -> None:
    if how == "dormant":
        await house.hq.do("org.update", org=org, status="active")
    elif how == "paused":
        await house.hq.do("agent.resume", agent="dev")
    else:
        await house.hq.do("freeze.lift")


@pytest.mark.parametrize(("how", "later"), [("dormant", 0), ("paused", 0), ("frozen", 1), ("agent:dev", 1), ("all", 1)])
async def test_a_schedule_of_who_rests_is_passed_over_and_of_who_is_frozen_comes_once_after(house, how, later):
    org = await employed(house)
    await house.hq.do("schedule.add", task="Look at the shop.", when="every day at 7", agent="dev")
    hand = JobHand(house.hq, "schedule")
    await stop(house, how, org)
    house.hq.clock.advance(days=3)

    assert await hand.run_once() == 0 and await started(house, "dev") == 0

    await let_go(house, how, org)
    assert await hand.run_once() == later == await started(house, "dev")


@pytest.mark.parametrize("scope", ["agent:chief", "all"])
async def test_a_beat_of_a_frozen_agent_comes_once_after(house, scope):
    await house.beat_every_day()
    await house.hq.do("freeze.set", scope=scope)
    house.hq.clock.set(SEVEN)

    await house.beat.run_once()
    assert await started(house, "chief") == 0

    await house.hq.do("freeze.lift")
    await house.beat.run_once()
    assert await started(house, "chief") == 1


async def test_a_pause_of_a_frozen_agent_ends_once_it_is_thawed(house):
    await house.hq.do("agent.pause", agent="chief", **{"for": "2h"})
    await house.hq.do("freeze.set", scope="agent:chief")
    house.hq.clock.advance(hours=3)

    assert await house.beat.run_once() == 0

    await house.hq.do("freeze.lift")
    assert await house.beat.run_once() >= 1
    assert (await house.hq.do("agent.show", ref="chief"))["props"]["status"] == "active"


@pytest.mark.parametrize("how", ["whole", "frozen"])
async def test_a_deadline_of_what_rests_or_is_frozen_is_not_raised_until_it_goes_on(house, how):
    hq = house.hq
    await hq.do("agent.create", name="dev", role="Developer")
    await hq.do("mission.create", title="Site")
    await hq.do("mission.create", title="Pages", parent="site", deadline="2026-01-01T11:00:00Z")
    await hq.do("mission.assign", ref="pages", to="dev")
    await hq.do("mission.accept", ref="pages")
    work = JobHand(hq, "work")
    if how == "whole":
        await hq.do("mission.pause", ref="site", why="wait")
    else:
        await hq.do("freeze.set", scope="mission:site")
    hq.clock.advance(days=1)

    assert await work.run_once() == 0 and await overdue(house) == []

    if how == "whole":
        await hq.do("mission.resume", ref="site")
    else:
        await hq.do("freeze.lift")
    await work.run_once()
    assert len(await overdue(house)) == 1
