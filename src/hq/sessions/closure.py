"""Closure of a session, and what it leaves behind: its record, its memories, a memo to the next one; or an incident."""

from __future__ import annotations

from typing import Literal

from psycopg.types.json import Jsonb
from pydantic import BaseModel, Field

from hq.database.queries import beside
from hq.door.access import SESSION, Touch
from hq.door.results import Row, row
from hq.door.tx import Tx
from hq.door.verb import Args, Result, verb
from hq.engine.sessions.life import EndState
from hq.engine.sessions.lookup import found, summary
from hq.errors import Refused
from hq.graph.records import Stored
from hq.graph.view import EdgeFilter, NodeFilter
from hq.ids import parse_id
from hq.memory.types import MemoryEntry
from hq.org.agent import Agent
from hq.sessions.rows import ClosedSessionRow
from hq.sessions.types import AgentHandoverMemo, AgentSession, ReasoningTrace

SQL = beside(__file__)


class MemoryArgs(BaseModel):
    """One thing worth carrying forward."""

    kind: Literal["fact", "pattern", "preference", "anti_pattern", "watch_item"] = "fact"
    body: str = Field(min_length=1, max_length=500)
    salience: float = Field(0.5, ge=0, le=1)
    about: str | None = Field(None, max_length=200)


class SessionFinaliseArgs(Args):
    """What the session leaves."""

    session: str = Field(max_length=60)
    """Which session."""
    reason: str = Field("", max_length=2000)
    """Why it closes, from its task-complete line."""
    summary: str = Field("", max_length=8000)
    """What it did, in short."""
    handover: str = Field("", max_length=8000)
    """What the next session should know."""
    memories: list[MemoryArgs] = Field(default_factory=list, max_length=20)
    """What is worth remembering."""
    nothing_learned: bool = False
    """It said that there was nothing to remember."""
    model: str | None = Field(None, max_length=200)
    """Model it mostly used."""
    cost_usd: float | None = Field(None, ge=0)
    """What it cost; nothing means unpriced."""


@verb(
    "session.finalise",
    "write",
    progress=False,
    for_=SESSION,
    touches=Touch("session", "session", ceo="own", operator="own"),
    internal=True,
    emits="agent.session_closed",
    while_frozen=SESSION,
)
async def finalise(tx: Tx, args: SessionFinaliseArgs) -> Row:
    """Write a session down as done: its record, its memories with the reasoning behind them, its memo."""
    session = await found(tx, args.session)
    if not args.memories and not args.nothing_learned:
        raise Refused.invalid("a session closes with at least one memory, or says that there was nothing to remember")
    agent = await tx.get(session.agent, Agent)
    record = await tx.create(
        AgentSession(
            trigger_kind=session.trigger_kind,
            trigger_summary=summary(session.trigger_kind, session.trigger),
            status="closed",
            started_at=session.created_at,
            ended_at=tx.now,
            turns_taken=session.turns,
            cost_usd=args.cost_usd,
            model_used=args.model,
            task_summary_md=args.summary or None,
            snapshot_md=args.handover or None,
            reason_closed=args.reason or None,
            memory_entry_count=len(args.memories),
        ),
        id=session.id,
    )
    await tx.link(record, "run_by", agent)
    if args.memories:
        await _remember(tx, agent, record, args)
    if args.handover:
        await _hand_over(tx, agent, record, args)
    tx.target = record
    return row(record)


async def _remember(tx: Tx, agent: Stored[Agent], record: Stored[AgentSession], args: SessionFinaliseArgs) -> None:
    trace = await tx.create(
        ReasoningTrace(purpose="memory snapshot", model=args.model, output_md=args.summary or None, called_at=tx.now)
    )
    await tx.link(trace, "part_of", record)
    for memory in args.memories:
        entry = await tx.create(
            MemoryEntry(kind=memory.kind, body_md=memory.body, salience=memory.salience, last_validated_at=tx.now)
        )
        await tx.link(entry, "remembered_by", agent)
        await tx.link(entry, "created_in_session", record)
        await tx.link(entry, "validated_by", trace)
        about = await tx.look_up(memory.about) if memory.about else None
        if about and tx.catalogue.edge("about").joins(entry.type, about.type):
            await tx.link(entry, "about", about)


async def _hand_over(tx: Tx, agent: Stored[Agent], record: Stored[AgentSession], args: SessionFinaliseArgs) -> None:
    tasks = await tx.find(
        NodeFilter(types=["task"], status="in_progress", related=[EdgeFilter("driven_by", agent.id)], limit=100)
    )
    memo = await tx.create(AgentHandoverMemo(body_md=args.handover, open_tasks=[str(task.id) for task in tasks]))
    await tx.link(memo, "part_of", record)
    await tx.link(memo, "authored_by", agent)


class SessionCloseArgs(Args):
    """How it ended."""

    session: str = Field(max_length=60)
    """Which session."""
    holder: str = Field(max_length=200)
    """Who holds it; whoever does not any more is fenced."""
    step: int = Field(ge=1)
    """Where in its journal this belongs."""
    state: EndState
    """What the system saw."""
    exit_code: int = Field(ge=0, le=3)
    """0 done, 1 out of budget, 2 failed, 3 stopped."""
    why: str = Field("", max_length=2000)
    """In one line."""
    text: str = Field("", max_length=1_000_000)
    """What it said last."""
    turns: int = Field(0, ge=0)
    """How often its mind answered."""
    timed_out: bool = False
    """It was stopped because its time was up."""


class SessionClosed(Result):
    id: str
    agent: str
    kind: str
    state: str
    exit_code: int
    parent: str | None = None


@verb(
    "session.close",
    "write",
    progress=False,
    for_=SESSION,
    touches=Touch("session", "session", ceo="own", operator="own"),
    internal=True,
    emits="session.closed",
    while_frozen=SESSION,
)
async def close(tx: Tx, args: SessionCloseArgs) -> SessionClosed:
    """Close a session, by who holds it: the last step of its journal, its end, and word of it to whoever waits."""
    id = parse_id(args.session)
    result = {"text": args.text, "turns": args.turns} | ({"timed_out": True} if args.timed_out else {})
    session = await tx.one(
        SQL["close"],
        {
            "id": id,
            "principal": tx.caller.principal_id,
            "step": args.step,
            "payload": Jsonb({"why": args.why, "exit_code": args.exit_code}),
            "holder": args.holder,
            "state": args.state,
            "exit": args.exit_code,
            "why": args.why,
            "result": Jsonb(result),
            "now": tx.now,
        },
        into=ClosedSessionRow,
    )
    if session is None:
        raise Refused.not_found(f"there is no session {args.session!r} of yours")
    return SessionClosed(
        id=str(id),
        agent=session.agent,
        kind=session.kind,
        state=args.state,
        exit_code=args.exit_code,
        parent=str(session.parent_id) if session.parent_id else None,
    )


VERBS = (finalise, close)
