"""The front of the room `agents`: what it brings."""

from __future__ import annotations

from hq.agents import beats, context_verbs, event_router, file_watch, hire, nightly_jobs, scaffold, verbs, watchdog
from hq.agents.files.folder import AgentFiles
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
from hq.agents.subagents import project
from hq.agents.subagents import verbs as subagent_verbs
from hq.agents.subagents.merge_policy import UnreviewedMergePolicy
from hq.room import Room

ROOM = Room(
    name="agents",
    verbs=(*verbs.VERBS, *context_verbs.VERBS, *subagent_verbs.VERBS, *project.VERBS, *hire.VERBS, *scaffold.VERBS),
    nouns={
        "beat": "When agents wake by themselves: see it, let it rest, let it go on.",
        "subagent": "Named helpers that do one task each.",
    },
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
    jobs=(*file_watch.JOBS, *event_router.JOBS, *beats.JOBS, *watchdog.JOBS, *nightly_jobs.JOBS),
    policies=(UnreviewedMergePolicy,),
    services=(
        lambda wiring: AgentFiles(wiring.companies),
        lambda wiring: file_watch.FileWatch(wiring.use(AgentFiles)),
        lambda wiring: wiring.agent_room,
    ),
    tables=("wakes",),
    sql=("functions.sql",),
)
