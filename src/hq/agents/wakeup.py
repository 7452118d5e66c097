"""Wake-ups: agents are woken by the events that waited for them. Two that only wake each other are parted."""

from __future__ import annotations

from typing import NamedTuple, TypedDict
from uuid import UUID

from psycopg.types.json import Jsonb
from pydantic import Field

from hq.agents.rows import ChainRow, UnheldEventRow
from hq.database.queries import beside
from hq.door.access import HOUSE
from hq.door.tx import Tx
from hq.door.verb import Args, Result, verb
from hq.engine.sessions.trigger import SessionTrigger, TriggerEvent
from hq.graph.records import Stored
from hq.org.agent import Agent
from hq.sessions.incidents import raise_once
from hq.sessions.session_start import open_session, working_agent

SQL = beside(__file__)
BATCH = 200


class WakeChain(NamedTuple):
    """How many wakes by agents lie behind a session, and the session it began with."""

    hops: int
    root: UUID | None


class AgentWoken(Result):
    agent: str
    session: str | None = None
    """The session that was woken; `hq session show` follows it."""
    held: str | None = None
    """Why it was not woken."""


async def chain_behind(tx: Tx) -> WakeChain:
    """What lies behind a session that this call would open. Whoever has changed something does not go in circles."""
    talk = [verb.name for verb in tx.door.registry if not verb.progress]
    row = (
        await tx.one(SQL["chain"], {"id": tx.call.session_id, "talk": talk}, into=ChainRow)
        if tx.call.session_id
        else None
    )
    if row is None:
        return WakeChain(0, None)
    return WakeChain(1, tx.call.session_id) if row.worked else WakeChain(row.hops + 1, row.root)


def too_many(one: str, other: str, hops: int) -> str:
    return f"{one} and {other} woke each other {hops - 1} times with nobody else in between"


class AgentPartArgs(Args):
    """Who keeps waking whom."""

    agent: str = Field(max_length=200)
    """The agent that is not woken."""
    by: str = Field(max_length=200)
    """The one that would have woken it."""
    root: UUID
    """The session it began with."""
    hops: int = Field(ge=1)
    """How many wakes ago."""


@verb("agent.part", "write", for_=HOUSE, internal=True)
async def part(tx: Tx, args: AgentPartArgs) -> AgentWoken:
    """Two agents only wake each other: raise it, once."""
    agent = await tx.get(args.agent, Agent)
    why = too_many(args.by, agent.slug, args.hops)
    await raise_once(tx, agent, "loop", f"ping-pong:{args.root}", why)
    return AgentWoken(agent=agent.slug, held=why)


class CarriedChain(TypedDict, total=False):
    """A chain of wakes, as a session's trigger says it; nothing where the session is its beginning."""

    hops: int
    root: str


def carried(chain: WakeChain) -> CarriedChain:
    return {"hops": chain.hops, "root": str(chain.root)} if chain.root else {}


class AgentWakeArgs(Args):
    """Whom."""

    agent: str = Field(max_length=200)
    """Slug of the agent."""
    into: UUID | None = None
    """A session that nobody has taken up yet, to go along with."""


@verb("agent.wake", "write", for_=HOUSE, internal=True)
async def wake(tx: Tx, args: AgentWakeArgs) -> AgentWoken:
    """Open one session with everything that waited for an agent."""
    agent = await working_agent(tx, args.agent)
    rows = sorted(
        await tx.rows(SQL["unheld"], {"agent": agent.slug, "limit": BATCH}, into=UnheldEventRow),
        key=lambda r: (r.seq, r.ordinal),
    )
    if not rows:
        return AgentWoken(agent=agent.slug)
    tx.target = agent
    tx.taint |= {mark for row in rows for mark in row.taint}
    events: list[TriggerEvent] = [
        {"id": f"{r.seq}.{r.ordinal}", "topic": r.topic, "payload": r.payload, "at": r.created_at.isoformat()}
        for r in rows
    ]
    hops = max(row.hops for row in rows)
    if args.into:
        values = {"id": args.into, "events": Jsonb(events), "taint": sorted(tx.taint), "hops": hops}
        if await tx.the_scalar(SQL["add_to_session"], values, of=bool):
            return AgentWoken(agent=agent.slug, session=str(args.into))
    return AgentWoken(agent=agent.slug, session=str(await _open(tx, agent, events, rows, hops)))


async def _open(
    tx: Tx, agent: Stored[Agent], events: list[TriggerEvent], rows: list[UnheldEventRow], hops: int
) -> UUID:
    topics = ", ".join(dict.fromkeys(row.topic for row in rows))
    summary = rows[0].topic if len(rows) == 1 else f"{len(rows)} events: {topics}"
    root = next((row.root for row in rows if row.hops == hops and row.root), None)
    trigger = SessionTrigger(summary=summary[:200], events=events, **carried(WakeChain(hops, root)))
    return await open_session(tx, agent.slug, "outbox", trigger)


VERBS = (wake, part)
