"""The event router: takes announced events to the agents whose triggers name them, and wakes each with one session for
the batch.

What arrives while an agent is at work waits in `ops.wakes` and goes with its next session. An event never wakes the agent
that caused it, and agents that only wake each other are parted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from uuid import UUID

from psycopg.types.json import Jsonb

from hq.agents.rows import CausedEventRow, HeldEventsRow, TopicsRow
from hq.database.queries import beside
from hq.database.rows import QueryValues
from hq.engine.tenancy import inside
from hq.guard.loops import LoopLimits
from hq.jobs.job import Every, Job, JobResult, Topic, found_by
from hq.jobs.run import JobRun
from hq.org.decisions import CHANGED
from hq.stream.topics import Topics

SQL = beside(__file__, "event_router.sql")
PLUMBING = ("session.", "message.", "agent.loaded")
"""How waking itself is told; it never wakes anybody."""
SCAN = 500
COALESCE = timedelta(seconds=2)
HELD = 2.0
"""Seconds until events that wait for an agent are looked at again though nothing more was announced."""


def available_memory() -> int:
    """Bytes that could be had without swapping; where the system does not say, plenty."""
    try:
        text = Path("/proc/meminfo").read_text()
    except OSError:
        return 2**62
    found = [line.split()[1] for line in text.splitlines() if line.startswith("MemAvailable:")]
    return int(found[0]) * 1024 if found else 2**62


@dataclass(frozen=True)
class AgentRoom:
    """At most `together` agents of a company at work at once, and none woken while memory is short."""

    together: int = 2
    memory: int = 600 * 2**20
    """Bytes that have to be there for one more."""
    available: Callable[[], int] = available_memory

    def free(self, working: Collection[str]) -> bool:
        return len(working) < self.together and self.available() >= self.memory


async def at_work(run: JobRun) -> set[str]:
    """The agents of this company that have a session running or about to."""
    return set(await run.scalars(SQL["at_work"], of=str))


async def route_events(run: JobRun) -> JobResult | None:
    for agent, by, root, hops in await _route(run):
        await run.call("agent.part", {"agent": agent, "by": by, "root": str(root), "hops": hops})
    woken = await _wake(run)
    return JobResult(f"woke {', '.join(woken)}", len(woken), list(woken)) if woken else None


async def _route(run: JobRun) -> set[tuple[str, str, UUID | None, int]]:
    """Put what came in into the agents' buffers and move on, in one transaction. Says who had to be parted."""
    parted: set[tuple[str, str, UUID | None, int]] = set()
    limits = run.use(LoopLimits)
    async with inside(run.door.pool, run.tenant) as reader:
        agents = [(row, Topics(row.topics)) for row in await reader.rows(SQL["wanting"], into=TopicsRow)]
        upto = await reader.scalar(SQL["upto"], of=int) or 0
        events = await reader.rows(SQL["news"], {"upto": upto, "limit": SCAN}, into=CausedEventRow)
        for event in events:
            for wanting, topics in agents:
                agent, wanted = wanting.slug, topics.match(event.topic) or (wanting.directs and is_proposed(event))
                if not wanted or is_plumbing(event) or caused_by(event) == agent:
                    continue
                hops = event.hops + 1 if event.hops is not None else int(event.session is not None)
                if limits.in_circles(hops):
                    parted.add((agent, caused_by(event) or "", event.root, hops))
                    continue
                await reader.conn.execute(SQL["hold"], _held(agent, event, hops))
        if events:
            await reader.conn.execute(SQL["routed"], {"upto": events[-1].seq})
    return parted


async def _wake(run: JobRun) -> list[str]:
    held = await run.rows(SQL["held"], {"since": run.now - COALESCE}, into=HeldEventsRow)
    working = await at_work(run) if held else set[str]()
    woken: list[str] = []
    for each in held:
        if each.status != "active" or each.busy or (each.fresh is None and not _may_begin(run, each, working)):
            # The end of a session is announced; that one lies down to wait, or that memory is back, is not.
            run.again = HELD if each.status == "active" else run.again
            continue
        args = {"agent": each.agent, "into": str(each.fresh) if each.fresh else None}
        outcome = await run.call("agent.wake", args)
        if outcome.ok and outcome.data.get("session"):
            working.add(each.agent)
            woken.append(each.agent)
    return woken


def _may_begin(run: JobRun, each: HeldEventsRow, working: set[str]) -> bool:
    """A new session: not one after the other within two seconds, not too many at once, not without memory."""
    return each.last_at is None and run.use(AgentRoom).free(working - {each.agent})


def is_plumbing(event: CausedEventRow) -> bool:
    """How waking itself is told, and what was settled by the yes it tells of: nobody has to do anything about it."""
    return event.topic.startswith(PLUMBING) or event.payload.get("settled") is True


def is_proposed(event: CausedEventRow) -> bool:
    """Whether somebody would change the organisation, which whoever directs it decides."""
    return event.topic == "approval.requested" and str(event.payload.get("verb")).partition(".")[0] in CHANGED


def caused_by(event: CausedEventRow) -> str | None:
    """The agent behind an event: whose session it was, or whose credential."""
    if event.cause:
        return event.cause
    kind, _, name = event.actor.partition(":")
    return name.partition("/")[0] if kind == "agent" else None


def _held(agent: str, event: CausedEventRow, hops: int) -> QueryValues:
    return {
        "agent": agent,
        "seq": event.seq,
        "ordinal": event.ordinal,
        "topic": event.topic,
        "payload": Jsonb(event.payload),
        "taint": event.taint,
        "hops": hops,
        "root": event.root,
        "at": event.created_at,
    }


JOBS = (
    Job(
        name="route",
        says="wakes agents for the events their triggers name",
        on=(Topic("*", pause=0.0), Every(60)),
        due=found_by("select * from ops.with_news()"),
        work=route_events,
    ),
)
