"""One session: its row, how far it came, what set it off in a line; and asked to stop."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NotRequired, TypedDict
from uuid import UUID

from hq.database.queries import beside
from hq.door.tx import Tx
from hq.engine.sessions.trigger import SessionTrigger, TriggerKind
from hq.errors import Refused
from hq.ids import parse_id

SQL = beside(__file__)


class SessionResult(TypedDict):
    """What a session left when it was closed."""

    text: str
    turns: int
    timed_out: NotRequired[bool]


@dataclass(frozen=True, slots=True)
class OpenedSession:
    """One session as it was opened: whose it is, and what set it off."""

    id: UUID
    kind: str
    agent: str
    trigger_kind: TriggerKind
    trigger: SessionTrigger


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One session, with how far it came."""

    tenant_id: UUID
    id: UUID
    kind: str
    agent: str
    principal_id: UUID
    parent_id: UUID | None
    task_id: UUID
    trigger_kind: TriggerKind
    trigger: SessionTrigger
    state: str
    wake_at: datetime | None
    holder: str | None
    lease_until: datetime | None
    claimed_step: int
    tries: int
    stop: str | None
    exit_code: int | None
    closed_as: str | None
    result: SessionResult | None
    forked_from: UUID | None
    forked_at: int | None
    taint: list[str]
    created_at: datetime
    updated_at: datetime
    ended_at: datetime | None
    name: str | None
    scopes: list[str] | None
    opened_seq: int | None
    actor: str
    steps: int
    turns: int
    last_at: datetime | None
    last_kind: str | None
    silent: bool | None

    @property
    def as_opened(self) -> OpenedSession:
        return OpenedSession(self.id, self.kind, self.agent, self.trigger_kind, self.trigger)


async def opened_session(tx: Tx, id: UUID) -> OpenedSession | None:
    """Without how far it came: that is counted in its journal, which may be long."""
    return await tx.one(SQL["opened_session"], {"id": id}, into=OpenedSession)


async def opened(tx: Tx, ref: str) -> OpenedSession:
    if (row := await opened_session(tx, parse_id(ref))) is None:
        raise _unknown(ref)
    return row


async def session_row(tx: Tx, id: UUID, at: datetime | None = None) -> SessionRow | None:
    """As it is, or was at a moment; nothing where there is none."""
    return await tx.one(SQL["session"], {"id": id, "at": at}, into=SessionRow)


async def found(tx: Tx, ref: str, at: datetime | None = None) -> SessionRow:
    row = await session_row(tx, parse_id(ref), at)
    if row is None:
        raise _unknown(ref)
    return row


def _unknown(ref: str) -> Refused:
    return Refused.not_found(f"there is no session {ref!r}", hint="`hq session list` shows what there is")


def summary(kind: str, trigger: SessionTrigger) -> str:
    before = (trigger.model_extra or {}).get("topic")  # as sessions of earlier releases say it
    return str(trigger.summary or trigger.text or before or kind)[:200]


async def ask_to_stop(tx: Tx, id: UUID, why: str) -> str | None:
    """At its next step. What it was doing; nothing where it is over."""
    return await tx.scalar(SQL["stop"], {"id": id, "why": why, "now": tx.now}, of=str)
