"""The front of the room `schedules`: what it brings."""

from __future__ import annotations

from hq.room import Room
from hq.schedules import job, occurrence, types, verbs
from hq.schedules.owners import owner_of_founders_schedule, owner_of_schedule

ROOM = Room(
    name="schedules",
    types=types.NODES,
    edges=types.EDGES,
    verbs=(*verbs.VERBS, *occurrence.VERBS),
    owners={"schedule": owner_of_schedule, "founders_schedule": owner_of_founders_schedule},
    jobs=job.JOBS,
)
