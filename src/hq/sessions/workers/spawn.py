"""Spawning of workers, and waiting for them: any number at once, each under its own limits."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NotRequired
from uuid import UUID

from pydantic import Field

from hq.database.queries import beside
from hq.database.rows import RowReader
from hq.door.access import AGENTS, CREW, Touch, on_record
from hq.door.caller import Caller
from hq.door.json_shape import AsJson
from hq.door.results import Awaited
from hq.door.toolset import OLD_PREFIX, by_tool, may_use, tool_of, verbs_named
from hq.door.tx import Tx
from hq.door.verb import Args, CostForecast, Registry, Result, first, verb
from hq.engine.sessions.trigger import SessionTrigger
from hq.errors import Refused
from hq.graph.slugs import slugify
from hq.guard.forecast import of_session
from hq.ids import is_id, parse_id
from hq.sessions.session_start import open_session
from hq.sessions.tool_offer import WORKING
from hq.sessions.workers.record import ANY, Worker, WorkerItem, worker_of
from hq.sessions.workers.rows import WorkerRow
from hq.suggestion import did_you_mean

SQL = beside(__file__)
TIMEOUT = 300
TOOLS = "tools"
"""The noun that every worker has beside its tools: what says which it has."""
EXAMPLE = "2026-11-15T14-32-00_check-disk-usage-on-cube"
TOLD = 4_000
"""Characters of a result that come with the waiting; `worker.read` has the rest."""


class WorkerSpawnArgs(Args):
    """What it shall do."""

    task: str = first(min_length=1, max_length=20_000)
    """One task, with everything a stranger needs to know to do it."""
    instructions: str = Field("", max_length=20_000)
    """How to go about it: added to what every worker is told."""
    tools: list[str] = Field(default_factory=list, max_length=50)
    """The only tools or nouns it gets, such as ssh_exec or skill; left out, all that its spawner may use."""
    tier: Literal["default", "heavy", "light"] = "default"
    """How strong a mind it needs."""
    timeout: int = Field(TIMEOUT, ge=1, le=86_400)
    """Seconds after which it is stopped with what it has."""


class Spawned(Result):
    worker: str
    """Its name, by which it is waited for and read."""
    session: str


async def _cost(tx: Tx, args: WorkerSpawnArgs) -> CostForecast:
    return await of_session(tx, "worker")


@verb(
    "worker.spawn",
    "write",
    forecast=_cost,
    shows=("tools", "timeout"),
    for_=AGENTS,
    touches=on_record("task"),
    emits="worker.spawned",
    examples=[{"task": "Check disk usage on cube"}],
    text="spawned {worker}",
)
async def spawn(tx: Tx, args: WorkerSpawnArgs) -> Spawned:
    """Start a worker on one task and go on at once; `hq worker wait` waits for it."""
    tools = _tools(tx, args.tools)
    shown = [] if args.tools or tx.call.only is None else list(WORKING)
    trigger = SessionTrigger(
        text=args.task, instructions=args.instructions, daily=shown, tier=args.tier, timeout=args.timeout
    )
    return await start(tx, spawner(tx), trigger, tools)


def spawner(tx: Tx) -> str:
    """Whose worker it is: the agent that calls, also through a worker of its own, or whoever else does."""
    return tx.caller.actor.partition(":")[2].partition("/")[0]


async def start(
    tx: Tx,
    agent: str,
    trigger: SessionTrigger,
    tools: list[str] | None,
    *,
    reads: Collection[str] = (),
    acts_as: str | None = None,
) -> Spawned:
    """Queue a worker of an agent, with a name and no more rights than its tools need."""
    run = await tx.scalar(SQL["run_of"], {"session": tx.call.session_id}, of=int)
    more = {"run": run} if run is not None else {}
    session = await open_session(
        tx,
        agent,
        "spawn",
        trigger.model_copy(update=more | {"tools": tools, "reads": list(reads), "sender": tx.caller.actor}),
        kind="worker",
        parent=tx.call.session_id,
        acts_as=acts_as,
    )
    named = await tx.the_scalar(
        SQL["name_session"],
        {
            "id": session,
            "name": f"{tx.now:%Y-%m-%dT%H-%M-%S}_{slugify(trigger.text, 40)}",
            "scopes": scopes(tx.door.registry, tx.caller, tools, reads),
        },
        of=str,
    )
    return Spawned(worker=named, session=str(session))


def _tools(tx: Tx, wanted: list[str]) -> list[str] | None:
    """By name or by noun; only such as the spawner may use itself. In a session, which is held to its tools, each by its own
    name, so that the worker has no more of a noun than that."""
    registry, mine = tx.door.registry, usable(tx)
    if not wanted:
        return None if tx.call.only is None else _named(registry, mine)
    for name in wanted:
        if mine.isdisjoint(verbs_named(registry, name)):
            known = [word for verb in map(registry.get, mine) for word in (tool_of(verb), verb.noun)]
            raise Refused.invalid(
                f"there is no tool {name} that a worker of yours may use{did_you_mean(name, known)}",
                hint="name tools such as ssh_exec or nouns such as skill, or leave `tools` away: then it has all that you have",
            )
    if tx.call.only is None:
        return sorted(set(wanted))
    return _named(registry, {verb for name in wanted for verb in mine.intersection(verbs_named(registry, name))})


def _named(registry: Registry, verbs: Collection[str]) -> list[str]:
    return sorted(tool_of(registry.get(verb)) for verb in verbs)


def usable(tx: Tx) -> frozenset[str]:
    """What a worker of this caller may be given; workers are not for workers. Whose a verb is its own offer asks, and whoever calls
    it all the same is told whose."""
    mine = may_use(tx.door.registry, replace(tx.caller, shares=()), in_session=tx.call.session_id is not None)
    mine = mine if tx.call.only is None else mine & tx.call.only
    return frozenset(name for name in mine if not name.startswith("worker."))


def scopes(registry: Registry, caller: Caller, tools: list[str] | None, reads: Collection[str] = ()) -> list[str]:
    """Never more than the spawner holds, and with a choice of tools only what those need: the door holds it to that."""
    held = {scope for scope in caller.scopes if scope.partition(":")[0] in ("read", "write", "effect") or "." in scope}
    if tools is None:
        return sorted(held | _by_name(registry, caller, held) if caller.in_person else held)
    found: set[str] = set()
    for tool in [*tools, TOOLS]:
        if one := by_tool(registry, tool):
            found |= {one.name} if caller.may(one) else set()
            continue
        noun, looks = tool.removeprefix(OLD_PREFIX), tool in reads or tool == TOOLS
        wide = {"read"} if looks else {"read", "write", "effect"}
        found |= {f"{scope}:{noun}" for scope in wide if held & {scope, f"{scope}:{noun}"}}
        found |= set() if looks else {scope for scope in held if scope.partition(".")[0] == noun}
    return sorted(found)


def _by_name(registry: Registry, caller: Caller, held: Collection[str]) -> set[str]:
    """A person's worker does what its person says, also what an agent owns: its credential names it (`door/borders.py`)."""
    nouns = {verb.noun for verb in registry if verb.changes and caller.may(verb)}
    return {f"{scope}:{noun}" for scope in held if scope in ("write", "effect") for noun in nouns}


class WorkerWaitArgs(Args):
    """For whom."""

    workers: list[str] = first(min_length=1, max_length=200)
    """Names of workers, as `hq worker spawn` gave them."""
    first_of: bool = False
    """Go on as soon as one of them is over, instead of all."""


class EndedWorker(WorkerItem):
    """A worker and its result."""

    result: str
    more: NotRequired[str]


class WorkersJoined(Awaited):
    items: AsJson[list[EndedWorker]] = Field(default_factory=list)
    """What came of each: its status, its summary and its result."""
    workers: list[str] | None = None
    first_of: bool | None = None


async def _settled(tx: Tx, earlier: Mapping[str, Any]) -> WorkersJoined:
    return await _joined(tx, list(earlier["workers"]), bool(earlier.get("first_of")))


@verb(
    "worker.wait",
    "wait",
    shows=(),
    for_=CREW,
    touches=Touch("workers", "worker", agent="led"),
    result_of_wait=_settled,
    examples=[{"workers": [EXAMPLE]}],
    text="hq.sessions.workers.worker_text:joined",
)
async def wait(tx: Tx, args: WorkerWaitArgs) -> WorkersJoined:
    """Wait until workers are over, all of them or the first, and get their results. A session costs nothing meanwhile."""
    return await _joined(tx, args.workers, args.first_of)


async def _joined(tx: Tx, names: list[str], first_of: bool) -> WorkersJoined:
    workers = [await found(tx, name) for name in names]
    under_way = [worker for worker in workers if not worker.over]
    if under_way and not (first_of and len(under_way) < len(workers)):
        # For all it is enough to wait for one after the other. An event may be older than this call and still unseen by
        # it, so they count from when the worker was spawned.
        return WorkersJoined(
            waits_for=[f"session:{worker.id}" for worker in (under_way if first_of else under_way[-1:])],
            waits_on=["session.closed"],
            waits_since=min(worker.opened_seq for worker in under_way),
            workers=names,
            first_of=first_of,
        )
    await taint_by(tx, workers)
    return WorkersJoined(items=[_came_of(worker) for worker in workers])


async def settled_with(tx: Tx, worker: Worker) -> EndedWorker:
    """What came of a worker that is over, for whoever waited."""
    await taint_by(tx, [worker])
    return _came_of(worker)


def _came_of(worker: Worker) -> EndedWorker:
    told: EndedWorker = {**worker.in_brief(), "result": worker.result[:TOLD] if worker.over else ""}
    if (more := len(worker.result) - TOLD) > 0:
        told["more"] = f"{more} more characters with worker.read"
    return told


async def found(tx: Tx, ref: str) -> Worker:
    """By its name, or the id of its session."""
    wanted = {"ids": [parse_id(ref)]} if is_id(ref) else {"names": [ref]}
    row = await tx.one(SQL["workers"], {**ANY, **wanted, "limit": 1}, into=WorkerRow)
    if row is None:
        raise Refused.not_found(f"there is no worker {ref!r}", hint="`hq worker list` shows what there is")
    return worker_of(row)


async def workers_of(reader: RowReader, sessions: Sequence[UUID]) -> list[Worker]:
    """Those with these sessions, in that order."""
    rows = await reader.rows(SQL["workers"], {**ANY, "ids": sessions, "limit": len(sessions)}, into=WorkerRow)
    found = {row.id: worker_of(row) for row in rows}
    return [found[id] for id in sessions]


async def marks_of(tx: Tx, sessions: Sequence[UUID]) -> frozenset[str]:
    """Where what they saw of the outside came from."""
    return frozenset(await tx.scalars(SQL["marks"], {"ids": list(sessions)}, of=str))


async def taint_by(tx: Tx, workers: list[Worker]) -> None:
    """What they saw of the outside marks whoever reads what they say."""
    tx.taint |= await marks_of(tx, [worker.id for worker in workers])


VERBS = (spawn, wait)
