"""Beats: once per occurrence, at the company's own time of day, and once after a long absence."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hq.door.tx import Call
from hq.engine.sessions.leases import Leases
from tests.support.supervised import Supervised, close


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.fixture
async def daily(house) -> Supervised:
    await house.beat_every_day()
    return house


async def beaten(house: Supervised) -> list[str]:
    """Look once, and let whatever began end."""
    await house.beat.run_once()
    begun = await Leases(house.hq.door.pool, house.hq.clock).claim(8)
    for claimed in begun:
        await close(house, claimed)
    return sorted(f"{claimed.agent} {claimed.trigger.cron}" for claimed in begun)


async def test_a_beat_opens_one_session_and_says_what_for(daily):
    daily.hq.clock.set(utc("2026-01-02T07:00"))
    await daily.beat.run_once()
    await daily.beat.run_once()

    shown = [await daily.hq.do("session.show", id=s["session"]) for s in await daily.sessions(agent="chief")]
    assert [(s["trigger_kind"], s["trigger"]["summary"]) for s in shown] == [("beat", "beat 0 7 * * *: morning brief")]


async def test_every_day_once(daily):
    daily.hq.clock.set(utc("2026-01-02T06:59"))
    assert "chief 0 7 * * *" not in await beaten(daily)
    daily.hq.clock.set(utc("2026-01-02T07:00"))
    assert "chief 0 7 * * *" in await beaten(daily)
    daily.hq.clock.set(utc("2026-01-02T07:01"))
    assert "chief 0 7 * * *" not in await beaten(daily)
    daily.hq.clock.set(utc("2026-01-03T07:00"))
    assert "chief 0 7 * * *" in await beaten(daily)


async def test_missed_beats_run_once_after_a_long_absence(daily):
    daily.hq.clock.set(utc("2026-01-09T12:00"))

    first, second, third = await beaten(daily), await beaten(daily), await beaten(daily)

    assert sorted(first + second) == ["chief 0 7 * * *", "operator 0 22 * * *", "operator 0 3 * * *"]
    assert third == []
    beats = (await daily.hq.do("beat.list", agent="chief"))["items"]
    assert beats[0]["next"] == "2026-01-10T07:00:00+00:00"


async def test_the_companys_time_zone_moves_its_beats(daily):
    await daily.load.run_once()
    await daily.hq.do("tenant.set", time_zone="America/New_York")
    await daily.load.run_once()

    daily.hq.clock.set(utc("2026-01-01T11:59"))
    assert "chief 0 7 * * *" not in await beaten(daily)
    daily.hq.clock.set(utc("2026-01-01T12:00"))
    assert "chief 0 7 * * *" in await beaten(daily)


async def test_a_time_zone_that_is_none_is_refused(house):
    outcome = await house.hq.call("tenant.set", time_zone="Europe/Lisboa")

    assert "there is no time zone 'Europe/Lisboa'; did you mean 'Europe/Lisbon'?" in outcome.error["message"]


async def test_a_beat_waits_while_its_agent_works(daily):
    await daily.hq.do("agent.send", agent="chief", text="hello")
    daily.hq.clock.set(utc("2026-01-02T07:00"))
    await daily.beat.run_once()
    assert [s["trigger"] for s in await daily.sessions(agent="chief")] == ["hello"]

    for claimed in await Leases(daily.hq.door.pool, daily.hq.clock).claim(8):
        await close(daily, claimed)

    assert "chief 0 7 * * *" in await beaten(daily)


async def test_a_paused_agent_is_not_beaten_and_does_not_catch_up(daily):
    await daily.hq.do("agent.pause", agent="chief")
    daily.hq.clock.set(utc("2026-01-02T08:00"))
    assert not any("chief" in each for each in await beaten(daily))
    await daily.hq.do("agent.resume", agent="chief")

    assert not any("chief" in each for each in await beaten(daily))


async def test_a_pause_for_a_while_ends_by_itself(house):
    await house.hq.do("agent.pause", agent="chief", **{"for": "2h"})
    house.hq.clock.advance(minutes=119)
    await house.beat.run_once()
    assert (await house.hq.do("agent.show", ref="chief"))["props"]["status"] == "paused"

    house.hq.clock.advance(minutes=1)
    await house.beat.run_once()

    assert (await house.hq.do("agent.show", ref="chief"))["props"]["status"] == "active"
    assert await house.beat.run_once() == 0


async def test_after_work_a_beat_comes_once(house):
    await house.hq.do("task.create", title="Call Ana")
    house.hq.clock.set(utc("2026-01-02T07:00"))
    assert "chief 0 7 * * *" in await beaten(house) + await beaten(house)
    house.hq.clock.set(utc("2026-01-03T07:00"))
    assert await beaten(house) + await beaten(house) == []

    await house.hq.do("task.create", title="Call Bo")
    house.hq.clock.set(utc("2026-01-04T07:00"))
    assert "chief 0 7 * * *" in await beaten(house)
    beats = (await house.hq.do("beat.list", agent="chief"))["items"]
    assert [(b["after_work"], b["last"][:10], b["next"][:10]) for b in beats] == [(True, "2026-01-04", "2026-01-05")]


async def test_work_for_an_agent_is_work(house):
    """What an agent did in a session that somebody wanted counts, for the other agents too."""
    house.hq.clock.set(utc("2026-01-02T06:00"))
    await beaten(house)
    await house.hq.do("agent.send", agent="chief", text="hello")
    house.hq.clock.set(utc("2026-01-02T07:30"))
    for claimed in await Leases(house.hq.door.pool, house.hq.clock).claim(8):
        await close(house, claimed)

    house.hq.clock.set(utc("2026-01-02T22:00"))
    assert await beaten(house) == ["chief 0 7 * * *", "operator 0 22 * * *"]


async def test_neither_looking_nor_a_beat_nor_what_it_set_off_is_work(house):
    chief = await house.hq.agent("chief")
    house.hq.clock.set(utc("2026-01-02T06:00"))
    await beaten(house)
    await beaten(house)
    await house.hq.do("task.create", title="Call Ana")
    house.hq.clock.set(utc("2026-01-02T07:00"))
    await house.beat.run_once()
    [begun] = await Leases(house.hq.door.pool, house.hq.clock).claim(8)
    said = Call("agent.send", {"agent": "operator", "text": "look"}, chief, session_id=begun.id)
    assert (await house.hq.door.call(said)).ok
    await close(house, begun)
    for claimed in await Leases(house.hq.door.pool, house.hq.clock).claim(8):
        await close(house, claimed)
    assert [s["agent"] for s in await house.sessions()][-2:] == ["chief", "operator"]
    house.hq.clock.set(utc("2026-01-03T06:00"))
    assert sorted(await beaten(house) + await beaten(house)) == ["operator 0 22 * * *", "operator 0 3 * * *"], (
        "for the task"
    )

    house.hq.clock.set(utc("2026-01-04T23:00"))
    await house.hq.do("task.list")

    assert [await beaten(house), await beaten(house)] == [[], []]


async def test_a_beat_that_its_file_no_longer_has_is_gone(house):
    house.edit(
        "operator/agent.md", "| Beat after work | 0 3 * * * (nightly reconciliation of graph and ledger) |\n", ""
    )
    await house.hq.do("agent.load")

    assert [b["cron"] for b in (await house.hq.do("beat.list", agent="operator"))["items"]] == ["0 22 * * *"]


async def test_an_agent_can_neither_beat_nor_wake_another(house):
    token = await house.hq.agent("chief")

    for verb, args in (
        ("agent.beat", {"agent": "operator", "cron": "0 3 * * *"}),
        ("agent.wake", {"agent": "operator"}),
    ):
        outcome = await house.hq.call(verb, _token=token, **args)
        assert outcome.error["code"] == "forbidden"
