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
    closing,
    context,
    event_router,
    file_watch,
    furnishing,
    hiring,
    incidents,
    nightly_jobs,
    session_view,
    sessions,
    threads,
    watchdog,
)
from hq.agents import types as agents
from hq.agents import verbs as agents_verbs
from hq.agents.event_router import AgentRoom
from hq.agents.files.folder import AgentFiles
from hq.agents.handoff import handing
from hq.agents.handoff import job as handoff_job
from hq.agents.owners import belongs, leads, owner_of_agent, owner_of_session, owner_of_worker
from hq.agents.permissions import Permissions
from hq.agents.routing.router import Router
from hq.agents.skills import registry as skills_registry
from hq.agents.skills import run as skills_run
from hq.agents.skills.gate import SkillPolicy
from hq.agents.subagents import projects, running
from hq.agents.subagents.scope import ProjectPolicy
from hq.agents.workers import reading, spawning, upkeep
from hq.agents.workers.artifacts import Artifacts
from hq.artifacts import verbs as artifacts_verbs
from hq.asks import approvals, follow_up, grants, proposals, reviews
from hq.asks import types as asks
from hq.asks import upkeep as asks_upkeep
from hq.asks import verbs as asks_verbs
from hq.asks.desk import ApprovalDesk
from hq.asks.kinds import Kinds
from hq.business import founding
from hq.business import types as business
from hq.business import verbs as business_verbs
from hq.ceo import briefing, capturing, cards, chat, heartbeat, onboarding, runs, ticking
from hq.channels.http import request as http_request
from hq.channels.http import sites as http_sites
from hq.channels.http import types as http
from hq.channels.http.request import HttpPolicy
from hq.channels.outgoing.client import Outgoing
from hq.channels.ssh import types as ssh
from hq.channels.ssh import verbs as ssh_verbs
from hq.channels.web import verbs as web_verbs
from hq.channels.web.providers import SearchSetting
from hq.channels.webhooks import types as webhooks
from hq.channels.webhooks import verbs as webhooks_verbs
from hq.clock import Clock, SystemClock
from hq.connectors import types as connectors
from hq.connectors import verbs as connectors_verbs
from hq.connectors.gate import ConnectorPolicy
from hq.connectors.program import Programs
from hq.connectors.sessions import Sessions
from hq.database.address import Address
from hq.door.access import Access
from hq.door.door import Door
from hq.door.verb import Registry
from hq.door.verbs import auth, graph, history, ledger, links, schema, search
from hq.engine.house import House
from hq.graph import provenance
from hq.graph.catalogue import Catalogue
from hq.graph.search.service import Embedders
from hq.guard import budget, cost, freeze, stops, vault
from hq.guard import types as guard
from hq.guard.loops import LoopLimits
from hq.jobs import verbs as jobs_verbs
from hq.jobs.job import JobRegistry
from hq.jobs.owners import owner_of_job
from hq.learning import types as learning
from hq.memory import facts
from hq.memory import keeping as memory_verbs
from hq.memory import types as memory
from hq.minds import verbs as minds_verbs
from hq.minds.service import Minds
from hq.org import decisions, exchange, intents, organisations, personas, positions, removing, roles, seating, spending
from hq.org import types as org
from hq.org.authority import SeatPolicy
from hq.org.files import OrgFiles
from hq.org.owners import owner_of_organisation, owner_of_persona
from hq.signals import types as signals
from hq.signals import verbs as signals_verbs
from hq.sql import verbs as sql_verbs
from hq.sql.reader import Reader
from hq.stream import verbs as stream_verbs
from hq.work import tools, unasked, work_job
from hq.work import types as work
from hq.work.briefs import verbs as briefs
from hq.work.delegations import verbs as delegations
from hq.work.escalations import verbs as escalations
from hq.work.mail import delivering, inbox, talking
from hq.work.missions import (
    evidence,
    giving,
    holding,
    importing,
    making,
    notes,
    objectives,
    planning,
    progress,
    taking,
    waiting,
    waking,
)
from hq.work.missions.checks import Looker
from hq.work.missions.guarding import WorkPolicy
from hq.work.missions.owners import owner_of_assignment, owner_of_mission, owner_of_part
from hq.work.schedules import job as schedule_job
from hq.work.schedules import verbs as schedules
from hq.workspace import container
from hq.workspace import types as workspace
from hq.workspace.coding import carrying_on, recording, reviewing
from hq.workspace.coding import types as coding
from hq.workspace.coding import verbs as coding_verbs
from hq.workspace.container import ContainerPolicy
from hq.workspace.files import verbs as files_verbs
from hq.workspace.owners import owner_of_code_run, owner_of_tree, owner_of_workspace
from hq.workspace.places import Workspaces
from hq.workspace.sandbox import Sandbox
from hq.workspace.sandbox import verbs as sandbox_verbs
from hq.workspace.verbs import bringing, keeping, looking, trees

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
    founding,
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
    sessions,
    session_view,
    context,
    closing,
    incidents,
    agents_verbs,
    threads,
    handing,
    chat,
    cards,
    ticking,
    briefing,
    capturing,
    runs,
    onboarding,
    spawning,
    reading,
    upkeep,
    running,
    projects,
    webhooks_verbs,
    sql_verbs,
    organisations,
    exchange,
    seating,
    roles,
    positions,
    removing,
    personas,
    intents,
    spending,
    hiring,
    furnishing,
    decisions,
    talking,
    inbox,
    delivering,
    making,
    briefs,
    giving,
    taking,
    planning,
    holding,
    evidence,
    progress,
    waiting,
    waking,
    notes,
    importing,
    objectives,
    delegations,
    escalations,
    unasked,
    schedules,
    sandbox_verbs,
    keeping,
    trees,
    looking,
    bringing,
    files_verbs,
    container,
    coding_verbs,
    reviewing,
    carrying_on,
    recording,
)
JOBS = (
    file_watch,
    event_router,
    beats,
    watchdog,
    nightly_jobs,
    upkeep,
    handoff_job,
    delivering,
    work_job,
    asks_upkeep,
    carrying_on,
    schedule_job,
    briefing,
    capturing,
    heartbeat,
    jobs_verbs,
)


KINDS = (decisions, escalations, planning, taking, delegations, talking, cards, approvals, proposals, reviews)
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
    "party": owner_of_part,
    "organisation": owner_of_organisation,
    "job": owner_of_job,
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
        minds, permissions, outgoing = Minds(pool, secrets, clock), Permissions(), Outgoing()
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
                permissions,
                Access(OWNERS, leads, belongs),
                ProjectPolicy(),
                SeatPolicy(),
                WorkPolicy(),
                ConnectorPolicy(),
                HttpPolicy(),
                SkillPolicy(),
                ContainerPolicy(),
            ],
            desk=ApprovalDesk(),
            services=[
                secrets,
                minds,
                connections,
                Reader(address.reader_url),
                embedders,
                Router(embedders),
                outgoing,
                SearchSetting(search),
                loops or LoopLimits(),
                runs.RunLimits(run_timeout),
                AgentFiles(companies),
                Artifacts(companies, pool, keep_days),
                OrgFiles(companies),
                permissions,
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
