"""`hq job`: every job by its trigger and by hand, through the same handler (C17)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hq.jobs.job import JobRegistry
from tests.support.jobs import JobHand


@pytest.fixture
async def staffed(own_hq):
    await own_hq.do("agent.load")
    return own_hq


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


async def listed(hq, name: str) -> dict:
    return next(each for each in (await hq.do("job.list"))["items"] if each["job"] == name)


async def last_run(hq, name: str) -> dict:
    return (await hq.do("job.runs", job=name))["items"][0]


async def test_every_job_of_the_house_runs_by_hand_and_says_what_came_of_it(staffed):
    for job in staffed.door.services[JobRegistry].of_house:
        ran = await staffed.do("job.run", job=job.name)

        assert ran["status"] in ("done", "nothing"), (job.name, ran)
        run = await last_run(staffed, job.name)
        assert (run["cause"], run["status"]) == ("by hand", ran["status"])


async def test_a_beat_runs_by_hand_and_its_own_time_stays(staffed):
    before = await listed(staffed, "beat:chief:1")

    ran = await staffed.do("job.run", job="beat:chief:1")

    shown = await staffed.do("session.show", id=ran["session"])
    assert (shown["agent"], shown["trigger"]["cron"]) == ("chief", "0 7 * * *")
    assert (await listed(staffed, "beat:chief:1"))["next"] == before["next"] == "2026-01-02T07:00:00+00:00"
    assert (await last_run(staffed, "beat:chief:1"))["session"] == ran["session"]


async def test_a_schedule_is_a_job_and_runs_by_hand(staffed):
    made = await staffed.do("schedule.add", task="Look around.", when="every day at 7", name="Round")
    name = f"schedule:{made['slug']}"

    ran = await staffed.do("job.run", job=name)

    assert ran["session"] and (await staffed.do("schedule.show", ref=made["slug"]))["props"]["status"] == "active"
    assert (await listed(staffed, name))["on"] == "0 7 * * *"


async def test_pausing_a_schedule_as_a_job_is_pausing_the_schedule(staffed):
    made = await staffed.do("schedule.add", task="Look around.", when="every day at 7", name="Round")
    name = f"schedule:{made['slug']}"
    await staffed.do("job.pause", job=name)
    assert (await staffed.do("schedule.show", ref=made["slug"]))["props"]["status"] == "paused"
    staffed.clock.set(utc("2026-01-05T08:00"))
    assert await JobHand(staffed, "schedule").run_once() == 0

    await staffed.do("schedule.resume", ref=made["slug"])

    assert (await listed(staffed, name))["state"] == "on"
    staffed.clock.set(utc("2026-01-06T07:00"))
    assert await JobHand(staffed, "schedule").run_once() == 1


async def test_a_beat_that_is_off_is_a_paused_job(staffed):
    await staffed.do("beat.off", agent="chief")
    assert (await listed(staffed, "beat:chief:1"))["state"] == "paused"

    await staffed.do("job.resume", job="beat:chief:1")

    assert [each["on"] for each in (await staffed.do("beat.list", agent="chief"))["items"]] == [True]


async def test_a_job_shows_its_last_runs_with_cause_and_duration(staffed):
    await staffed.do("schedule.add", task="Look around.", when="every day at 7", name="Round")
    staffed.clock.set(utc("2026-01-02T07:00"))
    await JobHand(staffed, "schedule").run_once()

    shown = await staffed.do("job.show", job="schedule:round")

    [run] = shown["runs"]
    assert (run["cause"], run["status"], run["did"]) == ("0 7 * * *", "done", "round: started")
    assert run["took_ms"] >= 0 and run["session"] and shown["next"] == "2026-01-03T07:00:00+00:00"


async def test_a_job_that_is_none_is_refused_with_the_nearest(staffed):
    outcome = await staffed.call("job.run", job="morning-breif")

    assert outcome.error["code"] == "not_found" and "did you mean 'morning-brief'?" in outcome.error["message"]


async def test_an_agent_asks_before_it_runs_or_pauses_one(staffed):
    token = await staffed.agent("chief")
    for verb in ("job.run", "job.pause", "job.resume"):
        outcome = await staffed.call(verb, job="weekly-digest", _token=token)

        assert outcome.error["code"] == "waiting"
    forbidden = await staffed.call("job.report", job="mail", why="x", cause="y", _token=token)
    assert forbidden.error["code"] == "forbidden"


async def test_the_duties_are_the_jobs_of_the_house(staffed):
    duties = [each["duty"] for each in (await staffed.do("duty.list"))["items"]]

    assert duties == [job.name for job in staffed.door.services[JobRegistry].of_house]


async def test_two_companies_have_their_own(hq):
    other = await hq.tenant()
    await hq.do("job.pause", job="morning-brief")

    assert (await listed(hq, "morning-brief"))["state"] == "paused"
    theirs = (await hq.do("job.list", _token=other))["items"]
    assert next(each for each in theirs if each["job"] == "morning-brief")["state"] == "on"


async def test_old_runs_are_forgotten(staffed):
    hand = JobHand(staffed, "forget-runs")
    await hand.run_once()
    await staffed.do("job.run", job="mail")
    staffed.clock.advance(days=91)

    assert await hand.run_once() == 1
    assert [each["job"] for each in (await staffed.do("job.runs"))["items"]] == ["forget-runs"]


async def test_the_operator_pauses_a_job_with_the_founders_yes_and_has_the_ceo_run_one(own_hq):
    await own_hq.do("agent.load")
    operator, ceo = await own_hq.agent("operator"), await own_hq.agent("chief")

    said = [
        (await own_hq.call(verb, job="keep-artifacts", _token=token)).error
        for verb, token in (("job.pause", operator), ("job.run", ceo), ("job.run", operator))
    ]

    assert [error["code"] for error in said] == ["waiting", "waiting", "cross_scope_violation"]
    assert "hq agent send chief" in str(said[-1])
