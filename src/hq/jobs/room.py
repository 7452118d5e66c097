"""The front of the room `jobs`: what it brings."""

from __future__ import annotations

from hq.jobs import verbs
from hq.jobs.owners import owner_of_job, owner_of_job_of_node
from hq.jobs.runner import JobRunner
from hq.room import Room

ROOM = Room(
    name="jobs",
    verbs=verbs.VERBS,
    nouns={
        "duty": "What the house does by itself, in short; `hq job` has all of it.",
        "job": "Whatever runs by itself: what sets it off, what its runs did; run it now, let it rest.",
    },
    owners={"job": owner_of_job, "job_of_node": owner_of_job_of_node},
    jobs=verbs.JOBS,
    pumps=(JobRunner,),
    tables=(
        "jobs",
        "job_runs",
    ),
    sql=("functions.sql",),
)
