"""The heartbeat: the job that lets the CEO look at every company, twice a minute and whenever something happened.

Looking is one question to the database. Only where it finds something the CEO is called upon, and one that takes long to
decide holds up neither other companies nor what else is noticed in its own.
"""

from __future__ import annotations

from decimal import Decimal

from hq.jobs.job import Every, Job, JobResult, Topic, found_by
from hq.jobs.run import JobRun

COALESCE = 2.0
"""Seconds of machine time between two looks, however much happens."""
TIMEOUT = 280.0
"""Seconds for one beat: what somebody noticed and did not act on within five minutes comes again."""


async def beat(run: JobRun) -> JobResult | None:
    ticked = await run.must("ceo.tick", {})
    if not ticked["seen"] and not ticked["shown"]:
        return None
    noticed = sorted({each["trigger"] for each in ticked["seen"]})
    return JobResult(
        f"noticed {', '.join(noticed)}" if noticed else f"showed {ticked['shown']} cards",
        max(1, len(ticked["seen"])),
        {"actions": [each["verb"] for each in ticked["actions"]]},
        tokens=ticked["tokens"],
        cost_usd=Decimal(str(ticked["cost_usd"])),
    )


JOBS = (
    Job(
        name="heartbeat",
        says="lets the CEO notice what happened, and act on it",
        on=(Topic("*", pause=COALESCE), Every(30)),
        due=found_by("select * from ops.beating(%(now)s)"),
        work=beat,
        timeout=TIMEOUT,
        overlap=4,
    ),
)
