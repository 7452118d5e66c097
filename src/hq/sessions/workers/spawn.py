"""Spawning of workers, and waiting for them: any number at once, each under its own limits."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Literal

from pydantic import Field

from hq.database.queries import beside
from hq.door.access import AGENTS, CREW
from hq.door.caller import Caller
from hq.door.results import Awaited
from hq.door.toolset import PREFIX, tools_for
from hq.door.tx import Tx
from hq.door.verb import Args, Registry, Result, first, verb
from hq.engine.sessions.trigger import SessionTrigger
from hq.errors import Refused
from hq.graph.slugs import slugify
from hq.ids import is_id, parse_id
from hq.json_types import JsonObject
from hq.sessions.session_start import open_session
from hq.sessions.workers.record import ANY, Worker, worker_of
from hq.sessions.workers.rows import WorkerRow
from hq.suggestion import did_you_mean

SQL = beside(__file__)
TIMEOUT = 300
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
    """The only tools it gets, such as hq_task; left out, all that its spawner may use."""
    tier: Literal["default", "heavy", "light"] = "default"
    """How strong a mind it needs."""
    timeout: int = Field(TIMEOUT, ge=1, le=86_400)
    """Seconds after which it is stopped with what it has."""


class Spawned(Result):
    worker: str
    """Its name, by which it is waited for and read."""
    session: str


@verb("worker.spawn", "write", for_=AGENTS, emits="worker.spawned", examples=[{"task": "Check disk usage on cube"}])
async def spawn(tx: Tx, args: WorkerSpawnArgs) -> Spawned:
    """Start a worker on one task and go on at once; `worker.wait` waits for it."""
    tools = _tools(tx, args.tools)
    trigger = SessionTrigger(text=args.task, instructions=args.instructions, tier=args.tier, timeout=args.timeout)
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
    session = await open_session(
        tx,
        agent,
        "spawn",
        trigger.model_copy(update={"tools": tools, "reads": list(reads), "sender": tx.caller.actor}),
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
    """Their full names; only such as the spawner may use itself."""
    if not wanted:
        return None
    offered = [
        tool.name
        for tool in tools_for(tx.door.registry, tx.door.catalogue, tx.caller)
        if tool.name != f"{PREFIX}worker"
    ]
    named = [name if name in offered or name.startswith(PREFIX) else PREFIX + name for name in wanted]
    for name in named:
        if name not in offered:
            raise Refused.invalid(
                f"there is no tool {name} that a worker of yours may use{did_you_mean(name, offered)}"
            )
    return sorted(set(named))


def scopes(registry: Registry, caller: Caller, tools: list[str] | None, reads: Collection[str] = ()) -> list[str]:
    """Never more than the spawner holds, and with a choice of tools only what those need: the door holds it to that."""
    held = {scope for scope in caller.scopes if scope.partition(":")[0] in ("read", "write", "effect") or "." in scope}
    if tools is None:
        return sorted(held)
    nouns = {tool.removeprefix(PREFIX) for tool in tools if tool.startswith(PREFIX) and tool not in reads}
    looked = {tool.removeprefix(PREFIX) for tool in reads}
    alone = {verb.name for verb in registry if verb.tool in tools and verb.scope in held}
    wide = {f"{scope}:{noun}" for scope in held & {"read", "write", "effect"} for noun in nouns}
    wide |= {f"read:{noun}" for noun in looked if held & {"read", f"read:{noun}"}}
    return sorted(wide | alone | {s for s in held if s.partition(":")[2] in nouns or s.partition(".")[0] in nouns})


class WorkerWaitArgs(Args):
    """For whom."""

    workers: list[str] = first(min_length=1, max_length=200)
    """Names of workers, as `worker.spawn` gave them."""
    first_of: bool = False
    """Go on as soon as one of them is over, instead of all."""


class WorkersJoined(Awaited):
    items: list[JsonObject] = Field(default_factory=list)
    """What came of each: its status, its summary and its result."""
    workers: list[str] | None = None
    first_of: bool | None = None


async def _settled(tx: Tx, earlier: Mapping[str, Any]) -> WorkersJoined:
    return await _joined(tx, list(earlier["workers"]), bool(earlier.get("first_of")))


@verb(
    "worker.wait",
    "wait",
    for_=CREW,
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


async def settled_with(tx: Tx, worker: Worker) -> JsonObject:
    """What came of a worker that is over, for whoever waited."""
    await taint_by(tx, [worker])
    return _came_of(worker)


def _came_of(worker: Worker) -> JsonObject:
    told = worker.in_brief() | {"result": worker.result[:TOLD] if worker.over else ""}
    more = len(worker.result) - TOLD
    return told | ({"more": f"{more} more characters with worker.read"} if more > 0 else {})


async def found(tx: Tx, ref: str) -> Worker:
    """By its name, or the id of its session."""
    wanted = {"ids": [parse_id(ref)]} if is_id(ref) else {"names": [ref]}
    row = await tx.one(SQL["workers"], {**ANY, **wanted, "limit": 1}, into=WorkerRow)
    if row is None:
        raise Refused.not_found(f"there is no worker {ref!r}", hint="`hq worker list` shows what there is")
    return worker_of(row)


async def taint_by(tx: Tx, workers: list[Worker]) -> None:
    """What they saw of the outside marks whoever reads what they say."""
    tx.taint |= set(await tx.scalars(SQL["marks"], {"ids": [worker.id for worker in workers]}, of=str))


VERBS = (spawn, wait)
