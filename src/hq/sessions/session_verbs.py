"""Verbs over sessions, read from their journals: list, show, replay, stop."""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypedDict

from pydantic import Field

from hq.database.queries import beside
from hq.door.access import HOUSE, STAFF, Touch
from hq.door.results import Page, page
from hq.door.tx import Tx
from hq.door.verb import Args, Result, first, verb
from hq.engine.sessions.life import OVER, SessionState
from hq.engine.sessions.lookup import SessionRow, ask_to_stop, found, summary
from hq.engine.sessions.steps import MindStep, OpenStep, VerbStep, WakeStep, read_step
from hq.errors import Refused
from hq.ids import parse_id
from hq.json_types import StepJson
from hq.sessions.rows import ListedSessionRow, StepRow

SQL = beside(__file__)
EXAMPLE = "019dfc66-b817-716a-8756-021456eeb0e3"


class SessionListArgs(Args):
    """Which sessions."""

    agent: str | None = Field(None, max_length=200)
    """Only of this agent."""
    state: SessionState | None = None
    """Only in this state."""
    parent: str | None = Field(None, max_length=60)
    """Only those that this session started."""
    limit: int = Field(50, ge=1, le=200)
    """How many at most."""
    after: str | None = Field(None, max_length=60)
    """The `next` of the page before."""


class SessionItem(TypedDict):
    """A session in brief."""

    session: str
    agent: str
    kind: str
    state: str
    trigger: str
    closed_as: str | None
    at: str


@verb("session.list", "read", for_=STAFF, examples=[{}, {"state": "waiting"}])
async def list_(tx: Tx, args: SessionListArgs) -> Page[SessionItem]:
    """Sessions, newest first. A state is what the system sees: a worker that fell silent is not shown as running."""
    rows = await tx.rows(
        SQL["sessions"],
        {
            "agent": args.agent,
            "sees": await tx.seen_agents(),
            "state": args.state,
            "parent": parse_id(args.parent) if args.parent else None,
            "before": parse_id(args.after) if args.after else None,
            "limit": args.limit + 1,
            "at": moment(tx),
        },
        into=ListedSessionRow,
    )
    return page(rows, args.limit, lambda r: r.id, _in_brief)


def _in_brief(r: ListedSessionRow) -> SessionItem:
    return {
        "session": str(r.id),
        "agent": r.agent,
        "kind": r.kind,
        "state": _seen_state(r),
        "trigger": summary(r.trigger_kind, r.trigger),
        "closed_as": r.closed_as,
        "at": r.created_at.isoformat(),
    }


class SessionShowArgs(Args):
    """Which session."""

    id: str = first(max_length=60)
    """Its id, as `hq session list` shows it."""


class SessionDetail(Result):
    session: str
    agent: str
    state: str


@verb(
    "session.show",
    "read",
    for_=STAFF,
    touches=Touch("id", "session", agent="led"),
    examples=[{"id": EXAMPLE}],
    text="hq.sessions.session_text:session_detail",
)
async def show(tx: Tx, args: SessionShowArgs) -> SessionDetail:
    """One session: what woke it, how far it came, what it waits for, how it ended."""
    at = moment(tx)
    row = await found(tx, args.id, at)
    waits = [] if at else await tx.scalars(SQL["waits"], {"id": row.id}, of=str)
    over = at is None or (row.ended_at is not None and row.ended_at <= at)
    return SessionDetail.model_validate(
        {
            "session": str(row.id),
            "agent": row.agent,
            "actor": row.actor,
            "kind": row.kind,
            "state": _seen_state(row) if over else _state_then(row),
            "trigger_kind": row.trigger_kind,
            "trigger": row.trigger.model_dump(mode="json", by_alias=True, exclude_unset=True),
            "steps": row.steps,
            "turns": row.turns,
            "waits_for": waits,
            "wakes_at": row.wake_at.isoformat() if row.wake_at and not at else None,
            "held_by": None if at else row.holder,
            "seen_at": row.last_at.isoformat() if row.last_at else None,
            "exit_code": row.exit_code if over else None,
            "closed_as": row.closed_as if over else None,
            "result": row.result if over else None,
            "task": str(row.task_id),
            "parent": str(row.parent_id) if row.parent_id else None,
            "forked_from": f"{row.forked_from} at {row.forked_at}" if row.forked_from else None,
            "taint": list(row.taint),
            "created_at": row.created_at.isoformat(),
            "ended_at": row.ended_at.isoformat() if row.ended_at and over else None,
        }
    )


def moment(tx: Tx) -> datetime | None:
    """Up to when a journal is read; nothing means all of it. It only grows, so what was in it then is in it still."""
    return min(tx.true_at, tx.as_of.known_at) if tx.as_of else None


def _seen_state(row: SessionRow | ListedSessionRow) -> str:
    """Its state as the system sees it: what no worker holds any more is not at work."""
    return "silent" if row.state == "running" and row.silent else row.state


def _state_then(row: SessionRow) -> str:
    """What a session that was not over yet was doing, by the last step it had made."""
    return "waiting" if row.last_kind == "wait" else "running" if row.last_kind else "queued"


class SessionReplayArgs(SessionShowArgs):
    after: int = Field(0, ge=0)
    """Only the steps after this one."""
    limit: int = Field(200, ge=1, le=1000)
    """How many steps at most."""


class StepItem(TypedDict):
    """A step of a session's journal."""

    step: int
    kind: str
    at: str
    says: str
    payload: StepJson
    action: str | None


@verb(
    "session.replay",
    "read",
    for_=STAFF,
    touches=Touch("id", "session", agent="led"),
    examples=[{"id": EXAMPLE}],
    text="hq.sessions.session_text:replayed",
)
async def replay(tx: Tx, args: SessionReplayArgs) -> Page[StepItem]:
    """A session step by step: what the mind said, what was called, what came back."""
    at = moment(tx)
    row = await found(tx, args.id, at)
    steps = await tx.rows(
        SQL["steps"], {"id": row.id, "after": args.after, "limit": args.limit + 1, "at": at}, into=StepRow
    )
    return page(steps, args.limit, lambda step: step.step, step_dict)


def step_dict(step: StepRow) -> StepItem:
    """A step as every face shows it."""
    return {
        "step": step.step,
        "kind": step.kind,
        "at": step.created_at.isoformat(),
        "says": in_short(step.kind, step.payload),
        "payload": step.payload,
        "action": str(step.action_id) if step.action_id else None,
    }


class SessionStopArgs(SessionShowArgs):
    why: str = Field("stopped by hand", max_length=500)
    """Why, for the record."""


class SessionStopped(Result):
    session: str
    was: str
    """What it was doing."""


@verb(
    "session.stop",
    "write",
    for_=STAFF,
    touches=Touch("id", "session", agent="led", ceo="led"),
    emits="session.stopping",
    while_frozen=HOUSE,
    examples=[{"id": EXAMPLE}],
)
async def stop(tx: Tx, args: SessionStopArgs) -> SessionStopped:
    """Stop a session: at its next step where it runs, at once where it waits. What it did stays done."""
    row = await found(tx, args.id)
    if row.state in OVER:
        raise Refused.conflict(f"it is already {row.state}")
    was = await ask_to_stop(tx, row.id, args.why)
    if was != "running":  # it is over at once, and whoever waits for it has to know
        tx.emit("session.closed", id=str(row.id), agent=row.agent, kind=row.kind, state="stopped", exit_code=3)
    return SessionStopped(session=str(row.id), was=was or row.state)


def in_short(kind: str, payload: StepJson) -> str:
    """A step in one line, for people."""
    match read_step(kind, payload):
        case MindStep(texts=texts, calls=calls):
            called = [f"→ {call['tool_name']} {call.get('args') or ''}" for call in calls]
            return " ".join([*texts, *called]).replace("\n", " ")[:300]
        case VerbStep() as came:
            told = came.data if came.ok else (came.error or {}).get("message")
            return f"← {came.verb or ''} {told}"[:300]
        case OpenStep(prompt=prompt) | WakeStep(prompt=prompt):
            said = prompt.strip() or _last_said(payload.get("past"))
            return (said.splitlines() or ["a program asks"])[-1][:300]
        case _:
            return " ".join(f"{key}: {value}" for key, value in payload.items())[:300]


def _last_said(past: Any) -> str:
    """What a program said last, of all that it sent along."""
    said = [part.get("content") for message in past or () for part in message.get("parts") or ()]
    return next((text.strip() for text in reversed(said) if isinstance(text, str) and text.strip()), "")


VERBS = (list_, show, replay, stop)
