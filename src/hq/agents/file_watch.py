"""File watch: keeps the graph in step with the agents' files; a company without any gets the shipped ones."""

from __future__ import annotations

import asyncio
from typing import cast

from hq.agents.files.folder import AgentFiles
from hq.agents.loader import LoadedAgent
from hq.agents.rows import AgentVersionRow
from hq.database.queries import beside
from hq.jobs.job import Every, Job, JobResult, TenantRow, Topic, every_company
from hq.jobs.run import JobFailed, JobRun

SQL = beside(__file__, "file_watch.sql")
SEEN, PROBLEMS = "seen", "problems"


async def load_agents(run: JobRun) -> JobResult | None:
    """Looks at the times of the files; reads them only when one changed."""
    files, company = run.use(AgentFiles), run.found.facts
    if not isinstance(company, TenantRow):
        [company] = await run.rows(SQL["company"], into=TenantRow)
    if SEEN not in run.memory:  # this hq may have come with other words than the last one
        await asyncio.to_thread(files.renew, company.slug)
    there = files.folder(company.slug).exists()
    look = (company.time_zone, await asyncio.to_thread(files.signature, company.slug)) if there else None
    if look is not None and (run.memory.get(SEEN) == look or await _in_step(run, company.slug, files)):
        run.memory[SEEN] = look
        return _told([], cast("list[str]", run.memory.get(PROBLEMS, [])))
    items: list[LoadedAgent] = (await run.must("agent.load", {}))["items"]
    run.memory[SEEN] = (company.time_zone, await asyncio.to_thread(files.signature, company.slug))
    changed = [item["agent"] for item in items if item["changed"]]
    run.memory[PROBLEMS] = problems = [problem for item in items for problem in item["problems"]]
    return _told(changed, problems)


def _told(changed: list[str], problems: list[str]) -> JobResult | None:
    """A file that cannot be read is a failure until it can be."""
    if problems:
        raise JobFailed("; ".join(problems))
    return JobResult(f"loaded {', '.join(changed)}", len(changed), list(changed)) if changed else None


async def _in_step(run: JobRun, company: str, files: AgentFiles) -> bool:
    """At the first look of a process: whether the graph has these very versions already."""
    if SEEN in run.memory:
        return False
    loaded = [await asyncio.to_thread(files.load, company, slug) for slug in files.slugs(company)]
    known = {row.slug: row.version for row in await run.rows(SQL["versions"], into=AgentVersionRow)}
    return bool(loaded) and all(not each.problems and known.get(each.slug) == each.version for each in loaded)


JOBS = (
    Job(
        name="load-agents",
        says="loads agents whose files changed",
        on=(Topic("tenant.*"), Every(15)),
        due=every_company,
        work=load_agents,
    ),
)
