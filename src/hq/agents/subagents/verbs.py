"""`hq subagent list|run`: a named helper does one task, within its agent's rights and caps, and its answer comes back."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

from hq.agents.files.folder import AgentFiles
from hq.agents.subagents.definition import SubAgent
from hq.agents.subagents.folder import PROJECT, SubagentFile, every, missing
from hq.agents.subagents.rows import RunningAsRow, SubagentAtWorkRow
from hq.database.queries import beside
from hq.door.access import AGENTS, on_record
from hq.door.results import Awaited, Listing
from hq.door.toolset import verbs_named
from hq.door.tx import Tx
from hq.door.verb import Args, CostForecast, first, verb
from hq.engine.sessions.trigger import SessionTrigger
from hq.errors import Refused
from hq.graph.records import Stored
from hq.guard.forecast import of_session
from hq.org.agent import Agent
from hq.sessions.session_start import working_agent
from hq.sessions.workers.spawn import Spawned, found, settled_with, spawner, start, usable
from hq.suggestion import did_you_mean

SQL = beside(__file__)
HELPERS = ("explore", "code-reviewer", "test-engineer", "debugger")
"""Whom an agent of a project may call on itself (002 §18.5.2)."""
TOGETHER = 2
"""How many a person or a project's agent has at once; an agent's own file says it for the agent."""


@dataclass(frozen=True)
class Starter:
    """Who starts sub-agents: for which agent, which ones, and how many at a time."""

    agent: str
    allowed: tuple[str, ...] | None
    """Names; nothing means any that has a file."""
    together: int


class SubagentListArgs(Args):
    """Nothing to choose."""


Purpose = TypedDict("Purpose", {"for": str})


class SubagentItem(Purpose):
    """A sub-agent, what it is for, and what is wrong with its file."""

    name: str
    tools: tuple[str, ...] | None
    problem: str | None


@verb("subagent.list", "read", for_=(*AGENTS, "project"), past=False, examples=[{}])
async def list_(tx: Tx, args: SubagentListArgs) -> Listing[SubagentItem]:
    """The sub-agents you have, and what each is for."""
    starter = await _starter(tx)
    files = await _files(tx, starter.agent)
    items: list[SubagentItem] = []
    for name in sorted({*files, *(starter.allowed or ())} - {PROJECT}):
        if starter.allowed is not None and name not in starter.allowed:
            continue
        item: SubagentItem = {"name": name, "for": "", "tools": None, "problem": None}
        if (known := files.get(name)) is None:
            item["problem"] = missing(starter.agent, name)
        elif known.subagent is None:
            item["problem"] = str(known.problems[0])
        else:
            item["for"], item["tools"] = known.subagent.description, known.subagent.tools
        items.append(item)
    return Listing[SubagentItem](items=items)


class SubagentRunArgs(Args):
    """Which one, and on what."""

    subagent: str = first(min_length=1, max_length=60)
    """Its name."""
    task: str = first(min_length=1, max_length=20_000)
    """One focused question or task, with all it needs to know."""
    background: bool = False
    """Go on at once; `worker wait` waits for it."""


class SubagentRan(Awaited):
    worker: str
    """Its name among the workers; `hq worker read` has all it left."""
    session: str
    subagent: str
    status: str
    """How it ended, as the system saw it."""
    summary: str = ""
    result: str = ""


async def settled(tx: Tx, earlier: Mapping[str, Any]) -> SubagentRan:
    worker = await found(tx, earlier["worker"])
    ran = SubagentRan(worker=worker.name, session=str(worker.id), subagent=earlier["subagent"], status=worker.status)
    if not worker.over:
        ran.waits_for, ran.waits_on, ran.waits_since = [f"session:{worker.id}"], ["session.closed"], worker.opened_seq
        return ran
    told = await settled_with(tx, worker)
    ran.summary, ran.result = told["summary"], told["result"]
    return ran


async def answer(tx: Tx, started: Spawned, subagent: str, *, background: bool) -> SubagentRan:
    """What the call comes back with: the worker's name at once, or what it waits for."""
    if background:
        return SubagentRan(worker=started.worker, session=started.session, subagent=subagent, status="queued")
    return await settled(tx, {"worker": started.worker, "subagent": subagent})


async def _cost(tx: Tx, args: SubagentRunArgs) -> CostForecast:
    return await of_session(tx, "worker")


@verb(
    "subagent.run",
    "wait",
    forecast=_cost,
    shows=("background",),
    # A sub-agent starts no others; what is missing it says in its result.
    for_=(*AGENTS, "project"),
    touches=on_record("task"),
    emits="subagent.started",
    result_of_wait=settled,
    examples=[{"subagent": "explore", "task": "Which projects have no open task?", "background": True}],
    text="hq.sessions.workers.worker_text:ran",
)
async def run(tx: Tx, args: SubagentRunArgs) -> SubagentRan:
    """Have a sub-agent do one task, and wait for its answer."""
    starter = await _starter(tx)
    definition = await _definition(tx, starter, args.subagent)
    await check_room(tx, starter)
    worker = await start(
        tx,
        starter.agent,
        SessionTrigger(
            text=args.task,
            instructions=definition.instructions,
            tier=definition.tier,
            timeout=definition.timeout,
            subagent=definition.name,
            daily=list(definition.daily),
        ),
        offered(tx, definition.tools),
        reads=definition.reads,
    )
    return await answer(tx, worker, definition.name, background=args.background)


async def check_room(tx: Tx, starter: Starter) -> None:
    """Its cap holds also when two are started at the same moment. Agents of projects are counted apart."""
    await tx.conn.execute(SQL["one_at_a_time"], {"agent": starter.agent})
    rows = await tx.rows(SQL["at_work"], {"agent": starter.agent, "project": None}, into=SubagentAtWorkRow)
    busy = [row for row in rows if row.project is None]
    if len(busy) >= starter.together:
        names = ", ".join(f"{row.subagent} ({row.name})" for row in busy)
        raise Refused.conflict(
            f"{starter.agent} has {len(busy)} sub-agents at work, as many as it may: {names}",
            hint=f"`hq worker wait {busy[0].name}` waits for one",
        )


async def starter_agent(tx: Tx) -> Stored[Agent] | None:
    """The agent that calls; nothing where a person does."""
    return await working_agent(tx, spawner(tx)) if tx.caller.agent_itself else None


async def _starter(tx: Tx) -> Starter:
    """Agents start their own, people what all share, an agent of a project its few helpers, for who started it."""
    if tx.caller.project:
        row = await tx.one(SQL["running_as"], {"session": tx.call.session_id}, into=RunningAsRow)
        return Starter(row.agent if row else spawner(tx), HELPERS, TOGETHER)
    if (agent := await starter_agent(tx)) is not None:
        return Starter(agent.slug, tuple(agent.props.subagents), agent.props.max_subagents)
    return Starter(spawner(tx), None, TOGETHER)


async def _files(tx: Tx, agent: str) -> dict[str, SubagentFile]:
    """Read anew each time."""
    company = await tx.the_scalar("select slug from ops.tenants where id = ops.tenant()", of=str)
    return await asyncio.to_thread(every, tx.use(AgentFiles), company, agent)


async def _definition(tx: Tx, starter: Starter, name: str) -> SubAgent:
    files = await _files(tx, starter.agent)
    known = sorted(files) if starter.allowed is None else [each for each in starter.allowed if each != PROJECT]
    if name not in known:
        raise Refused.not_found(
            f"{starter.agent} has no sub-agent {name!r}{did_you_mean(name, known)}",
            hint=f"there are {', '.join(known)}" if known else "## Subagents allowed of its agent.md names them",
        )
    if name not in files:
        raise Refused.not_found(missing(starter.agent, name))
    return files[name].checked()


def offered(tx: Tx, wanted: tuple[str, ...] | None) -> list[str] | None:
    """Of the tools that are wanted, those that there are and that the caller may use; workers are not for workers."""
    if wanted is None:
        return None
    mine = usable(tx)
    return sorted({name for name in wanted if not mine.isdisjoint(verbs_named(tx.door.registry, name))})


VERBS = (list_, run)
