"""More to do than a job has room for: everybody's turn comes, once, and what waits for room is not looked for again."""

from __future__ import annotations

import asyncio

from hq.jobs.job import Every, Job, JobDue, JobRegistry, every_company
from hq.jobs.run import JobRun
from hq.jobs.runner import JobRunner
from tests.support.jobs import JobHand

ROOM, COMPANIES = 2, 7


class Crowded:
    """A job that is always due everywhere and has room for two: counts its looks and its runs."""

    def __init__(self, hq) -> None:
        self.looks = 0
        self.ran: list[object] = []
        self.at_once = self.most = 0
        self.all_ran = asyncio.Event()
        job = Job(name="crowd", says="counts", on=(Every(3600),), due=self.due, work=self.work, together=ROOM)
        hq.door.services[JobRegistry] = JobRegistry([job])

    async def due(self, door, now) -> list[JobDue]:
        self.looks += 1
        return list(await every_company(door, now))

    async def work(self, run: JobRun) -> None:
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        await run.scalars("select 1 as one", of=int)
        self.at_once -= 1
        self.ran.append(run.tenant)
        if len(set(self.ran)) == COMPANIES:
            self.all_ran.set()


async def several(hq) -> None:
    for _ in range(COMPANIES - 1):
        await hq.tenant()


async def test_every_company_has_its_turn_though_there_is_room_for_two(own_hq):
    await several(own_hq)
    crowd = Crowded(own_hq)

    await JobHand(own_hq).runs()

    assert len(crowd.ran) == len(set(crowd.ran)) == COMPANIES and crowd.most == ROOM


async def test_a_leader_begins_what_waits_without_looking_again(own_hq):
    await several(own_hq)
    crowd = Crowded(own_hq)
    leading = asyncio.create_task(JobRunner(own_hq.address.app_url, own_hq.door).run())
    try:
        async with asyncio.timeout(60):
            await crowd.all_ran.wait()
    finally:
        leading.cancel()
        await asyncio.gather(leading, return_exceptions=True)

    assert len(crowd.ran) == COMPANIES and crowd.looks == 1
