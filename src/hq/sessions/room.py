"""The front of the room `sessions`: what it brings."""

from __future__ import annotations

from hq.room import Room
from hq.sessions import closure, incidents, session_verbs, session_view, thread, types
from hq.sessions.handoff import job as handoff_job
from hq.sessions.handoff import verbs as handoff_verbs
from hq.sessions.routing.router import MessageRouter
from hq.sessions.workers import spawn, upkeep
from hq.sessions.workers import verbs as worker_verbs
from hq.sessions.workers.artifacts import Artifacts

ROOM = Room(
    name="sessions",
    types=types.NODES,
    edges=types.EDGES,
    verbs=(
        *session_verbs.VERBS,
        *session_view.VERBS,
        *closure.VERBS,
        *incidents.VERBS,
        *thread.VERBS,
        *handoff_verbs.VERBS,
        *spawn.VERBS,
        *worker_verbs.VERBS,
        *upkeep.VERBS,
    ),
    jobs=(*upkeep.JOBS, *handoff_job.JOBS),
    services=(
        lambda wiring: MessageRouter(wiring.embedders),
        lambda wiring: Artifacts(wiring.companies, wiring.pool, wiring.keep_days),
    ),
    tables=("agent_sessions",),
    sql=("functions.sql", "workers/functions.sql"),
)
