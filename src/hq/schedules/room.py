"""The front of the room `schedules`: what it brings."""

from __future__ import annotations

from hq.room import Room
from hq.schedules import job, types, verbs

ROOM = Room(name="schedules", types=types.NODES, edges=types.EDGES, verbs=verbs.VERBS, jobs=job.JOBS)
