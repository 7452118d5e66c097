"""The front of the room `sessions`: what it brings."""

from __future__ import annotations

from hq.room import Room
from hq.sessions import closure, fork_verbs, incidents, recording, session_verbs, session_view, thread, types
from hq.sessions.completions import verbs as completion_verbs
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
        *fork_verbs.VERBS,
        *session_view.VERBS,
        *closure.VERBS,
        *incidents.VERBS,
        *thread.VERBS,
        *handoff_verbs.VERBS,
        *spawn.VERBS,
        *worker_verbs.VERBS,
        *upkeep.VERBS,
        *completion_verbs.VERBS,
        *recording.VERBS,
    ),
    nouns={
        "client": "Programs that talk to hq as to a model: what they asked, each time apart from the founder's conversation.",
        "incident": "What went wrong with an agent.",
        "session": "What agents are doing and did: one lifecycle each, step by step.",
        "thread": "The founder's one conversation with an agent.",
        "worker": "Disposable sessions that do one task each and leave artifacts: spawn, wait, read, search.",
    },
    jobs=(*upkeep.JOBS, *handoff_job.JOBS),
    services=(
        lambda wiring: MessageRouter(wiring.embedders),
        lambda wiring: Artifacts(wiring.companies, wiring.pool, wiring.keep_days),
    ),
    tables=("agent_sessions", "completions"),
    sql=("functions.sql", "workers/functions.sql"),
)
