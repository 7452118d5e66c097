"""The front of the room `jobs`: what it brings."""

from __future__ import annotations

from hq.jobs import verbs
from hq.jobs.owners import owner_of_job, owner_of_job_of_node
from hq.jobs.runner import JobRunner
from hq.room import Room

ROOM = Room(
    name="jobs",
    verbs=verbs.VERBS,
    owners={"job": owner_of_job, "job_of_node": owner_of_job_of_node},
    jobs=verbs.JOBS,
    pumps=(JobRunner,),
    tables=(
        "jobs",
        "job_runs",
    ),
    sql=("functions.sql",),
)
