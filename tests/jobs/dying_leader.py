"""A leader that is killed in the middle of a job: `python dying_leader.py <database> <vault file> <moment>`."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from datetime import datetime
from pathlib import Path

from hq.app import open_door
from hq.clock import FakeClock
from hq.database.address import Address
from hq.jobs.job import Cron, Job, JobRegistry, JobResult
from hq.jobs.run import JobRun
from hq.jobs.runner import JobRunner


async def water(run: JobRun) -> JobResult:
    await run.must("task.create", {"title": "Water the plants"}, run.key)
    if os.environ.get("DIE"):
        os.kill(os.getpid(), signal.SIGKILL)
    return JobResult("watered")


JOB = Job(name="water", says="waters the plants", on=(Cron("0 7 * * *"),), work=water)


async def main(url: str, vault: str, moment: str) -> None:
    clock = FakeClock(datetime.fromisoformat(moment))
    async with open_door(Address(url), vault_file=Path(vault), clock=clock, pool_size=4) as door:
        door.services[JobRegistry] = JobRegistry([JOB])
        ran = await JobRunner(Address(url).app_url, door).run_due()
        sys.stdout.write(f"{len(ran)}\n")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
