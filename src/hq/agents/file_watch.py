"""File watch: keeps the graph in step with the agents' files; a company without any gets the shipped ones."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from hq.agents.files.folder import AgentFiles, FileSignature
from hq.agents.loader import LoadedAgent
from hq.agents.rows import AgentVersionRow
from hq.database.queries import beside
from hq.door.door import Door
from hq.jobs.job import Every, Job, JobDue, JobResult, TenantRow, Topic, every_company
from hq.jobs.run import JobFailed, JobRun

SQL = beside(__file__, "file_watch.sql")
Look = tuple[str, FileSignature]
"""What loading agents goes by: the company's clocks, and its files."""


class FileWatch:
    """What this process has seen of the companies' files. One look at the times of all of them finds where one changed."""

    def __init__(self, files: AgentFiles) -> None:
        self.files = files
        self.seen: dict[UUID, Look] = {}
        self.problems: dict[UUID, list[str]] = {}

    async def changed(self, companies: Sequence[JobDue]) -> list[JobDue]:
        """Where a file changed, or cannot be read since it did."""
        return await asyncio.to_thread(lambda: [each for each in companies if self._due(each)])

    def _due(self, found: JobDue) -> bool:
        company = found.facts
        if not isinstance(company, TenantRow) or self.problems.get(found.tenant):
            return True
        try:
            look = self.look(company)
        except OSError:  # its own run says so; the others' files are looked at nevertheless
            return True
        return look is None or look != self.seen.get(found.tenant)

    def look(self, company: TenantRow) -> Look | None:
        there = self.files.folder(company.slug).exists()
        return (company.time_zone, self.files.signature(company.slug)) if there else None


async def changed_companies(door: Door, now: datetime) -> list[JobDue]:
    return await door.services[FileWatch].changed(await every_company(door, now))


async def load_agents(run: JobRun) -> JobResult | None:
    """Reads a company's files when one changed."""
    watch, company = run.use(FileWatch), run.found.facts
    if not isinstance(company, TenantRow):
        [company] = await run.rows(SQL["company"], into=TenantRow)
    if run.tenant not in watch.seen:  # this hq may have come with other words than the last one
        await asyncio.to_thread(watch.files.renew, company.slug)
    look = await asyncio.to_thread(watch.look, company)
    if look is not None and (watch.seen.get(run.tenant) == look or await _in_step(run, company.slug, watch)):
        watch.seen[run.tenant] = look
        return _told([], watch.problems.get(run.tenant, []))
    items: list[LoadedAgent] = (await run.must("agent.load", {}))["items"]
    watch.seen[run.tenant] = (company.time_zone, await asyncio.to_thread(watch.files.signature, company.slug))
    changed = [item["agent"] for item in items if item["changed"]]
    watch.problems[run.tenant] = [problem for item in items for problem in item["problems"]]
    return _told(changed, watch.problems[run.tenant])


def _told(changed: list[str], problems: list[str]) -> JobResult | None:
    """A file that cannot be read is a failure until it can be."""
    if problems:
        raise JobFailed("; ".join(problems))
    return JobResult(f"loaded {', '.join(changed)}", len(changed), list(changed)) if changed else None


async def _in_step(run: JobRun, company: str, watch: FileWatch) -> bool:
    """At the first look of a process: whether the graph has these very versions already."""
    if run.tenant in watch.seen:
        return False
    files = watch.files
    loaded = [await asyncio.to_thread(files.load, company, slug) for slug in files.slugs(company)]
    known = {row.slug: row.version for row in await run.rows(SQL["versions"], into=AgentVersionRow)}
    return bool(loaded) and all(not each.problems and known.get(each.slug) == each.version for each in loaded)


JOBS = (
    Job(
        name="load-agents",
        says="loads agents whose files changed",
        on=(Topic("tenant.*"), Every(15)),
        due=changed_companies,
        work=load_agents,
    ),
)
