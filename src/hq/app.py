"""The composition root: the one place that knows every room and hands each what it needs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool

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
    watchdog,
)
from hq.agents import types as agents
from hq.agents import verbs as agents_verbs
from hq.agents.event_router import AgentRoom
from hq.agents.files.folder import AgentFiles
from hq.agents.handoff import job as handoff_job
from hq.agents.handoff import verbs as handoff_verbs
from hq.agents.owners import (
    belongs,
    director_of_agent_seat,
    leads,
    led,
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
from hq.agents.subagents import verbs as subagents_verbs
from hq.agents.subagents.review import ReviewFirst
from hq.agents.workers import spawn, upkeep
from hq.agents.workers import verbs as workers_verbs
from hq.agents.workers.artifacts import Artifacts
from hq.artifacts import verbs as artifacts_verbs
from hq.asks import approvals, follow_up, grants, proposals, reviews
from hq.asks import types as asks
from hq.asks import upkeep as asks_upkeep
from hq.asks import verbs as asks_verbs
from hq.asks.desk import ApprovalDesk
from hq.asks.kinds import Kinds
from hq.asks.owners import owner_of_asked
from hq.business import tenant
from hq.business import types as business
from hq.business import verbs as business_verbs
from hq.business.owners import owner_of_part, owner_of_project
from hq.ceo import brief, capture, cards, heartbeat, onboarding, tick
from hq.channels.egress.client import Outgoing
from hq.channels.http import request as http_request
from hq.channels.http import sites as http_sites
from hq.channels.http import types as http
from hq.channels.http.request import HttpPolicy
from hq.channels.ssh import types as ssh
from hq.channels.ssh import verbs as ssh_verbs
from hq.channels.web import verbs as web_verbs
from hq.channels.web.providers import SearchSetting
from hq.channels.webhooks import types as webhooks
from hq.channels.webhooks import verbs as webhooks_verbs
from hq.chat import run_verbs
from hq.chat import verbs as chat_verbs
from hq.chat.owners import owner_of_founders_conversation
from hq.clock import Clock, SystemClock
from hq.coding import continuation, record, review
from hq.coding import types as coding
from hq.coding import verbs as coding_verbs
from hq.coding.owners import owner_of_code_run
from hq.connectors import types as connectors
from hq.connectors import verbs as connectors_verbs
from hq.connectors.program import Programs
from hq.connectors.risk import ConnectorPolicy
from hq.connectors.sessions import Sessions
from hq.database.address import Address
from hq.door.access import Access
from hq.door.door import Door
from hq.door.verb import Registry
from hq.door.verbs import auth, graph, history, ledger, links, schema, search
from hq.door.verbs.graph import owner_of_link
from hq.engine.house import House
from hq.graph import provenance
from hq.graph.catalogue import Catalogue
from hq.graph.search.service import Embedders
from hq.guard import budget, cost, freeze, stops, vault
from hq.guard import types as guard
from hq.guard.loops import LoopLimits
from hq.jobs import verbs as jobs_verbs
from hq.jobs.job import JobRegistry
from hq.jobs.owners import owner_of_job, owner_of_job_of_node
from hq.learning import types as learning
from hq.memory import facts
from hq.memory import types as memory
from hq.memory import verbs as memory_verbs
from hq.memory.owners import owner_of_found_memory, owner_of_memory
from hq.messages import delivery, inbox
from hq.messages import verbs as messages_verbs
from hq.messages.owners import owner_of_conversation, owner_of_message
from hq.minds import verbs as minds_verbs
from hq.minds.service import Minds
from hq.missions import (
    acceptance,
    creation,
    dependency,
    evidence,
    notes,
    objectives,
    openspec_import,
    plan,
    progress,
    suspension,
    wait,
)
from hq.missions import assignment as missions_assignment
from hq.missions import types as work
from hq.missions.briefs import verbs as briefs
from hq.missions.checks import Looker
from hq.missions.delegation import verbs as delegations
from hq.missions.escalation import verbs as escalations
from hq.missions.owners import (
    owner_of_assignment,
    owner_of_escalation,
    owner_of_mission,
    owner_of_party,
    owner_of_raised_escalation,
)
from hq.missions.risk import AssignmentRisk
from hq.org import (
    assignment,
    decisions,
    expense,
    intent_verbs,
    organisations,
    personas,
    position_removal,
    positions,
    roles,
    yaml_verbs,
)
from hq.org import types as org
from hq.org.authority import SeatStop
from hq.org.files import OrgFiles
from hq.org.owners import (
    any_director,
    director_of_document,
    director_of_organisation,
    director_of_seat,
    owner_of_organisation,
    owner_of_persona,
)
from hq.org.risk import SpendingRisk
from hq.sandbox import Sandbox
from hq.signals import types as signals
from hq.signals import verbs as signals_verbs
from hq.skills import registry as skills_registry
from hq.skills import run as skills_run
from hq.skills.owners import owner_of_skill
from hq.skills.risk import SkillRisk
from hq.sql import verbs as sql_verbs
from hq.sql.reader_session import SqlReader
from hq.stream import verbs as stream_verbs
from hq.work import tools, unasked, work_job
from hq.work.schedules import job as schedule_job
from hq.work.schedules import verbs as schedules
from hq.work.schedules.owners import owner_of_schedule
from hq.workspace import container
from hq.workspace import types as workspace
from hq.workspace.container import ContainerPolicy
from hq.workspace.directories import Workspaces
from hq.workspace.files import verbs as files_verbs
from hq.workspace.owners import owner_of_opened_tree, owner_of_session_tree, owner_of_tree, owner_of_workspace
from hq.workspace.verbs import diff_verbs, sandbox_verbs, snapshot_verbs, tree_verbs, workspace_verbs

ROOMS = (
    provenance,
    business,
    signals,
    memory,
    agents,
    org,
    work,
    asks,
    learning,
    guard,
    connectors,
    webhooks,
    ssh,
    http,
    workspace,
    coding,
)
VERBS = (
    graph,
    links,
    search,
    history,
    ledger,
    schema,
    stream_verbs,
    auth,
    tenant,
    freeze,
    vault,
    budget,
    stops,
    cost,
    asks_verbs,
    approvals,
    grants,
    proposals,
    reviews,
    follow_up,
    asks_upkeep,
    business_verbs,
    signals_verbs,
    facts,
    memory_verbs,
    connectors_verbs,
    tools,
    artifacts_verbs,
    ssh_verbs,
    http_sites,
    http_request,
    web_verbs,
    skills_registry,
    skills_run,
    minds_verbs,
    jobs_verbs,
    session_verbs,
    session_view,
    context,
    closure,
    incidents,
    agents_verbs,
    thread,
    handoff_verbs,
    chat_verbs,
    cards,
    tick,
    brief,
    capture,
    run_verbs,
    onboarding,
    spawn,
    workers_verbs,
    upkeep,
    subagents_verbs,
    project,
    webhooks_verbs,
    sql_verbs,
    organisations,
    yaml_verbs,
    assignment,
    roles,
    positions,
    position_removal,
    personas,
    intent_verbs,
    expense,
    hire,
    scaffold,
    decisions,
    messages_verbs,
    inbox,
    delivery,
    creation,
    briefs,
    missions_assignment,
    acceptance,
    plan,
    suspension,
    evidence,
    progress,
    wait,
    dependency,
    notes,
    openspec_import,
    objectives,
    delegations,
    escalations,
    unasked,
    schedules,
    sandbox_verbs,
    workspace_verbs,
    tree_verbs,
    diff_verbs,
    snapshot_verbs,
    files_verbs,
    container,
    coding_verbs,
    review,
    continuation,
    record,
)
JOBS = (
    file_watch,
    event_router,
    beats,
    watchdog,
    nightly_jobs,
    upkeep,
    handoff_job,
    delivery,
    work_job,
    asks_upkeep,
    continuation,
    schedule_job,
    brief,
    capture,
    heartbeat,
    jobs_verbs,
)


KINDS = (decisions, escalations, plan, acceptance, delegations, messages_verbs, cards, approvals, proposals, reviews)
"""Kinds of asks; those that hold for a part of a type come before the one that holds for all of it."""


@cache
def kinds() -> Kinds:
    return Kinds(kind for module in KINDS for kind in module.KINDS)


# A connection's process at the server grows to some 20 MB of plans: of what a rush took, one is given back every
# POOL_IDLE seconds, and none is kept for long.
POOL_IDLE = 15.0
POOL_LIFETIME = 600.0
OWNERS = {
    "agent": owner_of_agent,
    "session": owner_of_session,
    "worker": owner_of_worker,
    "workspace": owner_of_workspace,
    "tree": owner_of_tree,
    "code_run": owner_of_code_run,
    "mission": owner_of_mission,
    "assignment": owner_of_assignment,
    "party": owner_of_party,
    "organisation": owner_of_organisation,
    "directed_organisation": director_of_organisation,
    "organisation_document": director_of_document,
    "seat": director_of_seat,
    "chart": any_director,
    "agent_seat": director_of_agent_seat,
    "stopped_agent": owner_of_stopped_agent,
    "agent_or_ceo": owner_of_agent_or_ceo,
    "project_work": owner_of_project_work,
    "handoff": owner_of_handoff,
    "founders_conversation": owner_of_founders_conversation,
    "opened_tree": owner_of_opened_tree,
    "session_tree": owner_of_session_tree,
    "project": owner_of_project,
    "part": owner_of_part,
    "conversation": owner_of_conversation,
    "message": owner_of_message,
    "asked": owner_of_asked,
    "escalation": owner_of_escalation,
    "raised_escalation": owner_of_raised_escalation,
    "skill": owner_of_skill,
    "link": owner_of_link,
    "schedule": owner_of_schedule,
    "memory": owner_of_memory,
    "found_memory": owner_of_found_memory,
    "job": owner_of_job,
    "job_of_node": owner_of_job_of_node,
    "persona": owner_of_persona,
}
"""Whose something is, by what the verbs call it."""


@cache
def catalogue() -> Catalogue:
    return Catalogue(
        nodes=[node for room in ROOMS for node in room.NODES], edges=[edge for room in ROOMS for edge in room.EDGES]
    )


@cache
def registry() -> Registry:
    return Registry(verb for module in VERBS for verb in module.VERBS)


@asynccontextmanager
async def open_door(
    address: Address,
    *,
    vault_file: Path,
    vault_key: str | None = None,
    clock: Clock | None = None,
    keep_days: int = 90,
    pool_size: int = 16,
    embedders: Embedders | None = None,
    search: str = "",
    companies: Path | None = None,
    loops: LoopLimits | None = None,
    agent_room: AgentRoom | None = None,
    run_timeout: int = 60,
    connector_sandbox: bool = True,
    connector_paths: Sequence[Path] = (),
) -> AsyncIterator[Door]:
    """The door on a database that is already migrated. Connects as the product's role.

    `companies` is where the companies keep their files (unsaid, beside the vault's key), and `keep_days` how long
    workers' details stay there.
    """
    async with AsyncConnectionPool[AsyncConnection[Any]](
        address.app_url,
        min_size=1,
        max_size=pool_size,
        # Prepared from the second use on: planning a look into the past costs more than running it.
        kwargs={"autocommit": True, "prepare_threshold": 1},
        open=False,
        timeout=20,
        max_idle=POOL_IDLE,
        max_lifetime=POOL_LIFETIME,
        name="hq",
    ) as pool:
        clock = clock or SystemClock()
        secrets = vault.Vault(vault_file, vault_key)
        minds, outgoing = Minds(pool, secrets, clock), Outgoing()
        embedders = embedders or Embedders()
        companies = companies or vault_file.parent / "companies"
        workspaces = Workspaces(vault_file.parent / "workspaces")
        sandbox = Sandbox(workspaces.scratch)
        connections = Sessions(Programs(sandbox if connector_sandbox else None, workspaces, connector_paths))
        door = Door(
            pool,
            registry(),
            catalogue(),
            clock,
            policies=[
                freeze.FreezePolicy(),
                Access(OWNERS, leads, led, belongs),
                SeatStop(),
                ReviewFirst(),
                SpendingRisk(),
                AssignmentRisk(),
                ConnectorPolicy(),
                HttpPolicy(),
                SkillRisk(),
                ContainerPolicy(),
            ],
            desk=ApprovalDesk(),
            services=[
                secrets,
                minds,
                connections,
                SqlReader(address.reader_url),
                embedders,
                MessageRouter(embedders),
                outgoing,
                SearchSetting(search),
                loops or LoopLimits(),
                run_verbs.RunLimits(run_timeout),
                AgentFiles(companies),
                Artifacts(companies, pool, keep_days),
                OrgFiles(companies),
                kinds(),
                JobRegistry(job for module in JOBS for job in module.JOBS),
                agent_room or AgentRoom(),
                workspaces,
                sandbox,
                Looker(),
            ],
        )
        door.services[House] = House(door)
        try:
            yield door
            await door.waker.flush()
            await door.workers.flush()
            await door.followers.flush()
            await door.services[Artifacts].flush()
        finally:
            await connections.close()
            await outgoing.close()
            await minds.close()
