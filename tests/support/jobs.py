"""Jobs as a test sets them off: everything that is due now, to its end, one round at a time."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any
from uuid import UUID

from hq.jobs.job import JobRegistry
from hq.jobs.run import JobRun, Ran
from hq.jobs.runner import JobRunner, done
from tests.support.company import Hq


class JobHand:
    """Some jobs, by name; all of them where none is named. It remembers what one leader would.

    On a database that many tests share, name the company: the others' work is theirs, and takes as long as there are many."""

    def __init__(self, hq: Hq, *names: str, tenant: UUID | None = None) -> None:
        self.runner = JobRunner(hq.address.app_url, hq.door, names or None, tenant)

    async def runs(self) -> list[Ran]:
        """What came of every run that did something or failed."""
        return await self.runner.run_due()

    async def run_once(self) -> int:
        """How much was done; nothing may fail."""
        ran = await self.runs()
        assert not [each.error for each in ran if each.error]
        return done(ran)


def dying(hq: Hq, name: str, *, before: str) -> JobHand:
    """A leader that is killed in a job, just before it makes this call."""

    class Killed(JobRun):
        async def must(self, verb: str, args: dict[str, Any], key: str | None = None) -> Any:
            if verb == before:
                raise asyncio.CancelledError
            return await super().must(verb, args, key)

    async def handler(run: JobRun):
        return await whole(Killed(**vars(run)))

    known: JobRegistry = hq.door.services[JobRegistry]
    whole = known.jobs[name].work
    hq.door.services[JobRegistry] = JobRegistry([replace(known.jobs[name], work=handler)])
    hand = JobHand(hq)
    hq.door.services[JobRegistry] = known
    return hand
