"""Looking after the agents: who is there, pause, resume, restart, hand over, and watch one at work (002 §28.3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypedDict
from uuid import UUID

from psycopg.types.json import Jsonb
from pydantic import Field

from hq.agents.presence import Presence, presence_of
from hq.agents.rows import (
    AgentPresenceRow,
    AgentSessionRow,
    BusyBesideRow,
    HeldCountRow,
    LastStepRow,
    ListedBeatRow,
    WatchedSessionRow,
)
from hq.database.queries import beside
from hq.door.access import HOUSE, STAFF, Touch
from hq.door.results import Listing, Row, row
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.engine.sessions.life import LIVE
from hq.engine.sessions.lookup import ask_to_stop, summary
from hq.engine.sessions.trigger import SessionTrigger
from hq.graph.moment import parse_moment
from hq.graph.records import Stored
from hq.graph.view import NodeFilter
from hq.ids import parse_id
from hq.json_types import StepJson
from hq.org.agent import Agent
from hq.sessions.handoff.verbs import ELIGIBLE, fullness, open_handoff
from hq.sessions.session_host import HANDOVER
from hq.sessions.session_start import known_agent, open_session, working_agent
from hq.sessions.session_verbs import in_short

SQL = beside(__file__)
WAKE_UP = "You were restarted. Look at your last handover memo and your open tasks, and go on with what is yours."


class AgentResumeArgs(Args):
    """Which agent."""

    agent: Ref = first()
    """Slug of the agent."""


class AgentActivityItem(TypedDict):
    """What an agent's own sessions do."""

    agent: str
    presence: Presence
    status: str | None
    running: int
    queued: int
    waiting: int
    events: int
    session: str | None
    context_used: float
    handoff_eligible: bool
    next_beat: str | None
    version: str | None


@dataclass(frozen=True)
class AgentActivity:
    """What an agent does, and what it waits for."""

    item: AgentActivityItem
    wait: StepJson | None
    """The step with which its session lay down."""
    beside: str | None
    """What other sessions of it are at work: a thread, a worker."""


async def activities(tx: Tx, ref: str | None) -> list[AgentActivity]:
    """Of one agent, or of all that work here: how `agent.status` stands beside its conversations."""
    agents = [await known_agent(tx, ref)] if ref else await tx.find(NodeFilter(types=[Agent.type], limit=200))
    about = {"agent": ref, "since": tx.now - timedelta(days=7)}
    present = {r.agent: r for r in await tx.rows(SQL["present"], about, into=AgentPresenceRow)}
    beside = {r.agent: r.kind for r in await tx.rows(SQL["busy_beside"], {"agent": ref}, into=BusyBesideRow)}
    held = {r.agent: r.many for r in await tx.rows(SQL["held_counts"], into=HeldCountRow)}
    due = {
        r.agent: r.due_at
        for r in reversed(await tx.rows(SQL["beats"], {"agent": ref}, into=ListedBeatRow))
        if r.enabled
    }
    full = await fullness(tx, [seen.live for seen in present.values() if seen.live])
    return [
        AgentActivity(
            _activity(each, seen := present.get(each.slug), held, due, full, tx.now),
            seen and seen.wait,
            beside.get(each.slug),
        )
        for each in agents
        if ref or not each.over
    ]


def _activity(
    agent: Stored[Agent],
    seen: AgentPresenceRow | None,
    held: dict[str, int],
    due: dict[str, datetime],
    full: dict[UUID, float],
    now: datetime,
) -> AgentActivityItem:
    used = full.get(seen.live, 0.0) if seen and seen.live else 0.0
    return {
        "agent": agent.slug,
        "presence": presence_of(agent.props, seen, now),
        "status": agent.status,
        "running": seen.running if seen else 0,
        "queued": seen.queued if seen else 0,
        "waiting": seen.waiting if seen else 0,
        "events": held.get(agent.slug, 0),
        "session": str(seen.live) if seen and seen.live else None,
        "context_used": round(used, 3),
        "handoff_eligible": used >= ELIGIBLE,
        "next_beat": due[agent.slug].isoformat() if agent.slug in due else None,
        "version": agent.props.version,
    }


class AgentPauseArgs(AgentResumeArgs):
    for_: str | None = Field(None, pattern=r"^\d{1,6}(s|m|h|d|w)$")
    """For how long, such as 30m, 2h or 3d; left out, until another resumes it: nobody who is paused can."""


@verb(
    "agent.pause",
    "write",
    on_card=True,
    for_=STAFF,
    touches=Touch("agent", "agent", agent="led", ceo="led"),
    emits="agent.paused",
    target="agent",
    while_frozen=HOUSE,
    undo="compensating",
    undo_by=lambda given, _: ("agent.resume", {"agent": given["agent"]}),
    examples=[{"agent": "scout", "for": "2h"}],
)
async def pause(tx: Tx, args: AgentPauseArgs) -> Row:
    """Let an agent rest: it does nothing until it is resumed. What it is doing stops at the next step and goes on then; events wait."""
    agent = await known_agent(tx, args.agent)
    until = tx.now + (tx.now - parse_moment(args.for_, tx.now)) if args.for_ else None
    tx.target = agent = await tx.move(agent, to="paused")
    await tx.conn.execute(SQL["forget_resume"], {"agent": agent.slug})
    if until:
        await tx.conn.execute(SQL["put_resume"], {"agent": agent.slug, "due": until})
    return row(agent)


@verb(
    "agent.resume",
    "write",
    on_card=True,
    for_=STAFF,
    touches=(
        Touch("agent", "agent", agent="led", ceo="led", not_own=True),
        Touch("agent", "stopped_agent", ceo="own", operator="own", house="own"),
    ),
    emits="agent.resumed",
    target="agent",
    examples=[{"agent": "scout"}],
)
async def resume(tx: Tx, args: AgentResumeArgs) -> Row:
    """Let an agent work again."""
    agent = await known_agent(tx, args.agent)
    if agent.status != "active":
        agent = await tx.move(agent, to="active")
    await tx.conn.execute(SQL["forget_resume"], {"agent": agent.slug})
    tx.target = agent
    return row(agent)


class AgentRestartArgs(AgentResumeArgs):
    fresh_session: bool = False
    """Do not repeat what it was woken for; let it look at what is open instead."""


class Restarted(Result):
    agent: str
    stopped: list[str]
    """Sessions that were stopped, or that stop at their next step."""
    session: str
    """The one that begins instead."""


@verb(
    "agent.restart",
    "write",
    for_=STAFF,
    touches=Touch("agent", "agent", agent="led", ceo="led", not_own=True),
    emits="agent.restarted",
    target="agent",
    examples=[{"agent": "scout"}],
)
async def restart(tx: Tx, args: AgentRestartArgs) -> Restarted:
    """Stop an agent's sessions and begin a new one with what the last of them was woken for."""
    tx.target = agent = await working_agent(tx, args.agent)
    live = await _live(tx, agent.slug)
    for each in live:
        await ask_to_stop(tx, each.id, "restarted")
    last = live[-1] if live and not args.fresh_session else None
    trigger = last.trigger if last else SessionTrigger(text=WAKE_UP, sender=tx.caller.actor)
    session = await open_session(tx, agent.slug, last.trigger_kind if last else "dm", trigger)
    if last:
        await tx.conn.execute(SQL["keep_question"], {"from": last.id, "to": session})
    return Restarted(agent=agent.slug, stopped=[str(each.id) for each in live], session=str(session))


class AgentHandoverArgs(AgentResumeArgs):
    why: str = Field("by hand", max_length=300)
    """Why, for the record."""
    before: datetime | None = None
    """Only sessions that began before this moment."""


class HandedOver(Result):
    agent: str
    sessions: list[str]
    """Sessions that write their memo at the next step and end."""


@verb(
    "agent.handover",
    "write",
    for_=STAFF,
    touches=Touch("agent", "agent", agent="led", ceo="led"),
    emits="agent.handing_over",
    target="agent",
    while_frozen=HOUSE,
    examples=[{"agent": "scout"}],
)
async def handover(tx: Tx, args: AgentHandoverArgs) -> HandedOver:
    """Have an agent end its running session with a memo and go on in a fresh one. What waits keeps waiting."""
    tx.target = agent = await known_agent(tx, args.agent)
    # One that hands off has a successor already; it goes on until that has what it needs.
    running = [
        each for each in await _live(tx, agent.slug, ["running"], args.before) if not await open_handoff(tx, each.id)
    ]
    await tx.conn.execute(SQL["begin_routing"])
    for place, each in enumerate(running):
        await ask_to_stop(tx, each.id, HANDOVER + args.why)
        about = {"session": str(each.id), "was": summary(each.trigger_kind, each.trigger), "why": args.why}
        await tx.conn.execute(
            SQL["continue"],
            {"agent": agent.slug, "seq": tx.seq, "ordinal": place, "about": Jsonb(about), "now": tx.now},
        )
    return HandedOver(agent=agent.slug, sessions=[str(each.id) for each in running])


async def _live(tx: Tx, agent: str, states: Iterable[str] = LIVE, before: datetime | None = None) -> list[Any]:
    values = {"agent": agent, "states": [*states], "before": before or tx.now + timedelta(seconds=1)}
    return await tx.rows(SQL["live_sessions"], values, into=AgentSessionRow)


class AgentAttachArgs(AgentResumeArgs):
    after: int = Field(0, ge=0)
    """Only the steps after this one."""
    session: str | None = Field(None, max_length=60)
    """Another session than the one it works on, or worked on last."""
    limit: int = Field(50, ge=1, le=500)
    """How many steps at most, the latest of them."""


class AttachedStep(TypedDict):
    """A step, in short."""

    step: int
    kind: str
    at: str
    says: str


class Attached(Listing[AttachedStep]):
    agent: str
    session: str | None = None
    state: str = "none"


@verb(
    "agent.attach",
    "read",
    for_=STAFF,
    touches=Touch("agent", "agent", agent="led"),
    past=False,
    target="agent",
    examples=[{"agent": "scout"}],
)
async def attach(tx: Tx, args: AgentAttachArgs) -> Attached:
    """What an agent is doing, or did last, step by step."""
    agent = await known_agent(tx, args.agent)
    found = await tx.one(
        SQL["watched"],
        {"agent": agent.slug, "id": parse_id(args.session) if args.session else None},
        into=WatchedSessionRow,
    )
    if found is None:
        return Attached(agent=agent.slug)
    steps = await tx.rows(
        SQL["last_steps"], {"id": found.id, "after": args.after, "limit": args.limit}, into=LastStepRow
    )
    items: list[AttachedStep] = [{"step": s.step, "kind": s.kind, "at": s.created_at.isoformat(), "says": in_short(s.kind, s.payload)}
             for s in steps]  # fmt: skip
    return Attached(agent=agent.slug, session=str(found.id), state=found.state, items=items)


VERBS = (pause, resume, restart, handover, attach)
