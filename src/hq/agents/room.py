"""The front of the room `agents`: what it brings."""

from __future__ import annotations

from hq.agents import (
    beats,
    closure,
    context,
    event_router,
    file_watch,
    hire,
    incidents,
    nightly_jobs,
    scaffold,
    session_verbs,
    session_view,
    thread,
    types,
    verbs,
    watchdog,
)
from hq.agents.files.folder import AgentFiles
from hq.agents.handoff import job as handoff_job
from hq.agents.handoff import verbs as handoff_verbs
from hq.agents.owners import (
    director_of_agent_seat,
    owner_of_agent,
    owner_of_agent_or_ceo,
    owner_of_handoff,
    owner_of_project_work,
    owner_of_session,
    owner_of_stopped_agent,
    owner_of_worker,
)
from hq.agents.routing.router import MessageRouter
from hq.agents.subagents import project
from hq.agents.subagents import verbs as subagent_verbs
from hq.agents.subagents.review import ReviewFirst
from hq.agents.workers import spawn, upkeep
from hq.agents.workers import verbs as worker_verbs
from hq.agents.workers.artifacts import Artifacts
from hq.room import Room

ROOM = Room(
    name="agents",
    types=types.NODES,
    edges=types.EDGES,
    verbs=(
        *session_verbs.VERBS,
        *session_view.VERBS,
        *context.VERBS,
        *closure.VERBS,
        *incidents.VERBS,
        *verbs.VERBS,
        *thread.VERBS,
        *handoff_verbs.VERBS,
        *spawn.VERBS,
        *worker_verbs.VERBS,
        *upkeep.VERBS,
        *subagent_verbs.VERBS,
        *project.VERBS,
        *hire.VERBS,
        *scaffold.VERBS,
    ),
    owners={
        "agent": owner_of_agent,
        "agent_or_ceo": owner_of_agent_or_ceo,
        "stopped_agent": owner_of_stopped_agent,
        "agent_seat": director_of_agent_seat,
        "session": owner_of_session,
        "worker": owner_of_worker,
        "handoff": owner_of_handoff,
        "project_work": owner_of_project_work,
    },
    jobs=(
        *file_watch.JOBS,
        *event_router.JOBS,
        *beats.JOBS,
        *watchdog.JOBS,
        *nightly_jobs.JOBS,
        *upkeep.JOBS,
        *handoff_job.JOBS,
    ),
    policies=(ReviewFirst,),
    services=(
        lambda wiring: MessageRouter(wiring.embedders),
        lambda wiring: AgentFiles(wiring.companies),
        lambda wiring: Artifacts(wiring.companies, wiring.pool, wiring.keep_days),
        lambda wiring: wiring.agent_room,
    ),
    tables=(
        "agent_sessions",
        "wakes",
    ),
    sql=("functions.sql", "workers/functions.sql"),
)
