"""The runner: under one leader, side by side, within their time, once per occurrence, also after a crash."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from hq.engine.announcer import Announcer
from hq.engine.tenancy import outside
from hq.jobs.job import Cron, Every, Job, JobRegistry, JobResult, TenantRow, Topic, every_company, found_by
from hq.jobs.run import JobFailed, JobRun
from hq.jobs.runner import JobRunner
from tests.support.jobs import JobHand
from tests.support.supervised import announced


@dataclass
class Counting:
    """A handler that says when it ran, and does what the test wants."""

    does: Any = None
    ran: asyncio.Event = field(default_factory=asyncio.Event)
    runs: list[JobRun] = field(default_factory=list)

    async def __call__(self, run: JobRun) -> JobResult | None:
        self.runs.append(run)
        self.ran.set()
        return await self.does(run) if self.does else JobResult("counted")


def job(handler: Any, name: str = "count", on: Any = None, **more: Any) -> Job:
    return Job(name=name, says="counts", on=on or (Every(3600),), work=handler, **more)


def only(hq, *jobs: Job) -> JobHand:
    hq.door.services[JobRegistry] = JobRegistry(jobs)
    return JobHand(hq)


@asynccontextmanager
async def at_work(*works):
    tasks = [asyncio.create_task(work) for work in works]
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


async def written(hq) -> list[dict[str, Any]]:
    return (await hq.do("job.runs"))["items"]


async def test_one_leads_and_another_takes_over_when_it_goes(own_hq):
    first, second = Counting(), Counting()
    url = own_hq.address.app_url
    leader, follower = [JobRunner(url, _door(own_hq, job(each)), None) for each in (first, second)]
    async with asyncio.timeout(60), at_work(leader.run()) as (leading,):
        await first.ran.wait()
        async with at_work(follower.run()):
            assert not second.ran.is_set()
            leading.cancel()
            await second.ran.wait()


def _door(hq, *jobs: Job):
    hq.door.services[JobRegistry] = JobRegistry(jobs)
    return hq.door


async def test_one_that_breaks_stops_nobody_and_is_raised_once(own_hq):
    async def breaks(run):
        raise RuntimeError("broken")

    broken, sound = Counting(breaks), Counting()
    hand = only(own_hq, job(broken, "broken"), job(sound, "sound"))
    for _ in range(3):
        await hand.runs()
    await announced(own_hq)

    assert len(sound.runs) == len(broken.runs) == 3
    told = [each for each in (await own_hq.do("events.list", limit=100))["items"] if each["topic"] == "job.failed"]
    assert [each["payload"]["job"] for each in told] == ["broken"]
    assert [each["status"] for each in await written(own_hq) if each["job"] == "broken"] == ["failed"] * 3


async def test_a_slow_one_stops_nobody_and_neither_does_it_stop_itself_elsewhere(own_hq):
    """J-5: one mind that takes its time, and the heart of everything else goes on beating."""
    over = asyncio.Event()

    async def slow(run):
        await over.wait()
        return JobResult("at last")

    thinking, beating = Counting(slow), Counting()
    heart = job(thinking, "heart", on=(Every(0.05),), overlap=2)
    runner = JobRunner(own_hq.address.app_url, _door(own_hq, heart, job(beating, "other", on=(Every(0.05),))))
    async with asyncio.timeout(60), at_work(runner.run()):
        while len(beating.runs) < 5 or len(thinking.runs) < 2:
            await asyncio.sleep(0.01)
        assert len(thinking.runs) == 2, "it goes on beside itself, as often as it says"
        over.set()


async def test_one_that_does_not_end_in_time_has_failed(own_hq):
    hand = only(own_hq, job(lambda run: asyncio.Event().wait(), timeout=0.05))

    [ran] = await hand.runs()

    assert ran.error == "it did not end within 0.05 seconds"
    assert [(each["status"], each["error"]) for each in await written(own_hq)] == [("failed", ran.error)]


async def nothing(run):
    return None


@dataclass(frozen=True)
class LaterRow:
    tenant_id: UUID
    at: datetime


async def _drawn(hq) -> int:
    async with outside(hq.door.pool) as reader:
        return await reader.the_scalar("select drawn from ops.horizon(0)", of=int)


async def test_looking_at_nothing_writes_nothing(own_hq):
    await own_hq.do("agent.load")
    before = await _drawn(own_hq)
    hand = only(
        own_hq,
        job(nothing),
        job(Counting(), "due", due=found_by("select * from ops.companies() where false", into=TenantRow)),
    )
    for _ in range(3):
        assert await hand.runs() == []

    assert await _drawn(own_hq) == before, "no call was made"
    assert await written(own_hq) == []


async def test_by_the_clock_once_and_once_for_what_was_missed(own_hq):
    counted = Counting()
    hand = only(own_hq, job(counted, on=(Cron("0 3 * * *"),)))
    assert await hand.run_once() == 0, "from now on, not for the nights before"
    own_hq.clock.set(utc("2026-01-06T04:00"))

    assert [await hand.run_once() for _ in range(3)] == [1, 0, 0]
    assert [run.due for run in counted.runs] == [utc("2026-01-02T03:00")]
    own_hq.clock.set(utc("2026-01-07T03:00"))
    assert await hand.run_once() == 1


async def test_the_clocks_are_the_companys_own(own_hq):
    hand = only(own_hq, job(Counting(), on=(Cron("0 3 * * *"),)))
    await hand.run_once()
    await own_hq.do("tenant.set", time_zone="America/New_York")
    await hand.run_once()

    own_hq.clock.set(utc("2026-01-02T07:59"))
    assert await hand.run_once() == 0
    own_hq.clock.set(utc("2026-01-02T08:00"))
    assert await hand.run_once() == 1


async def test_what_was_taken_and_never_ended_is_repeated_under_the_same_key(own_hq):
    """Killed between taking and doing."""
    keys = []

    async def dies(run):
        keys.append(run.key)
        await run.call("task.create", {"title": "Count"}, run.key)
        if len(keys) == 1:
            raise asyncio.CancelledError
        return JobResult("counted")

    hand = only(own_hq, job(dies, on=(Cron("0 3 * * *"),)))
    await hand.run_once()
    own_hq.clock.set(utc("2026-01-02T03:30"))
    await hand.run_once()

    another = JobHand(own_hq)
    assert [await another.run_once() for _ in range(2)] == [1, 0]
    assert keys == ["job:count:2026-01-02T03:00:00+00:00"] * 2
    assert len((await own_hq.do("task.list"))["items"]) == 1


async def test_what_is_out_for_a_moment_is_tried_again_so_often_and_then_given_up(own_hq):
    from hq.errors import Outage

    async def out(run):
        raise Outage("nobody answers")

    only(own_hq, job(Counting(), on=(Cron("0 3 * * *"),)))
    await JobHand(own_hq).run_once()
    own_hq.clock.set(utc("2026-01-02T03:30"))
    only(own_hq, job(out, on=(Cron("0 3 * * *"),)))

    assert [len(await JobHand(own_hq).runs()) for _ in range(5)] == [1, 1, 1, 0, 0]


async def test_nothing_begins_in_a_frozen_company_and_what_was_due_comes_once_after(own_hq):
    clocked, looked = Counting(), Counting()
    hand = only(own_hq, job(clocked, on=(Cron("0 3 * * *"),)), job(looked, "look"))
    await hand.run_once()
    looked.runs.clear()
    await own_hq.do("freeze.set")
    own_hq.clock.advance(days=3)
    assert await hand.run_once() == 0 and not clocked.runs and not looked.runs

    await own_hq.do("freeze.lift")

    assert [await hand.run_once() for _ in range(2)] == [2, 1]
    assert len(clocked.runs) == 1


async def test_a_paused_one_rests_here_and_is_not_made_up_for(own_hq):
    clocked, looked = Counting(), Counting()
    hand = only(own_hq, job(clocked, on=(Cron("0 3 * * *"),)), job(looked, "look"))
    await hand.run_once()
    looked.runs.clear()
    for name in ("count", "look"):
        await own_hq.do("job.pause", job=name)
    own_hq.clock.advance(days=3)
    assert await hand.run_once() == 0

    for name in ("count", "look"):
        await own_hq.do("job.resume", job=name)

    assert await hand.run_once() == 1 and len(looked.runs) == 1 and not clocked.runs
    own_hq.clock.advance(days=1)
    assert await hand.run_once() == 2


async def test_news_of_its_topics_set_it_off_and_others_do_not(own_hq):
    tasks, missions = Counting(nothing), Counting(nothing)
    jobs = [
        job(handler, name, on=(Topic(f"{name}.*"),), due=every_company)
        for name, handler in (("task", tasks), ("mission", missions))
    ]
    url = own_hq.address.app_url
    runner = JobRunner(url, _door(own_hq, *jobs))
    async with asyncio.timeout(60), at_work(Announcer(url, own_hq.clock).run(), runner.run()):
        await asyncio.gather(tasks.ran.wait(), missions.ran.wait())  # a new leader looks at everything once
        await own_hq.do("task.create", title="Count")
        while "task.created" not in {run.cause for run in tasks.runs}:
            tasks.ran.clear()
            await tasks.ran.wait()

    assert {run.cause for run in missions.runs} == {"sweep"}


async def test_an_event_wakes_an_agent_without_waiting_for_a_sweep(own_hq):
    await own_hq.do("agent.load")
    url = own_hq.address.app_url
    runner = JobRunner(url, own_hq.door, {"route"})
    async with asyncio.timeout(60), at_work(Announcer(url, own_hq.clock).run(), runner.run()):
        await own_hq.do("task.create", title="Count")
        await own_hq.do("task.assign", ref="count", to="operator")
        while not (found := (await own_hq.do("session.list"))["items"]):
            await asyncio.sleep(0.01)

    assert (found[0]["agent"], found[0]["trigger"]) == ("operator", "task.assigned_to.operator")


async def test_a_job_says_where_something_is_due_if_news_set_it_off():
    with pytest.raises(TypeError, match="where something is due"):
        job(Counting(), on=(Topic("task.*"),))


async def test_what_is_for_later_is_looked_at_then(own_hq):
    at = own_hq.clock.now() + timedelta(seconds=0.2)
    counted = Counting()
    look = found_by("select c.tenant_id, %(at)s::timestamptz as at from ops.companies() c", into=LaterRow, at=at)
    runner = JobRunner(own_hq.address.app_url, _door(own_hq, job(counted, on=(Every(3600),), due=look)))
    assert await runner.look() <= 0.2 + 1e-6 and not counted.runs

    own_hq.clock.set(at)
    assert len(await runner.run_due()) == 1


async def test_a_failure_that_is_over_is_written_down_and_the_next_is_raised_again(own_hq):
    answers = iter(["no", None, "no"])

    async def moody(run):
        if why := next(answers):
            raise JobFailed(why)

    runner = JobRunner(own_hq.address.app_url, _door(own_hq, job(moody)))
    for _ in range(3):
        runner._look_at["count"] = 0.0  # not in a minute, now
        runner._not_before.clear()
        await runner.look()
        await asyncio.wait(runner._tasks)
    await announced(own_hq)

    assert [each["status"] for each in (await written(own_hq))[::-1]] == ["failed", "nothing", "failed"]
    told = [each for each in (await own_hq.do("events.list", limit=100))["items"] if each["topic"] == "job.failed"]
    assert len(told) == 2


@pytest.mark.parametrize("turns", [0, 1, 2, 3])
async def test_called_off_in_the_moment_of_news_it_ends(own_hq, turns):
    runner = JobRunner(own_hq.address.app_url, _door(own_hq, job(Counting(), on=(Every(3600),))))
    task = asyncio.create_task(runner.run())
    async with asyncio.timeout(60):
        while not (runner.leading and runner._news._waiters):
            await asyncio.sleep(0.01)
        runner._news.set()
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
    assert task.cancelled()
