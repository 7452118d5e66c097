"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from hq.json_types import CallArgs, CallResult, Props


@dataclass(frozen=True, slots=True)
class ActionRow:
    """One call from the ledger, if it had been made by then."""

    tenant_id: UUID
    seq: int
    id: UUID
    actor: str
    principal_id: UUID
    credential_id: UUID | None
    session_id: UUID | None
    task_id: UUID | None
    trace_id: UUID
    parent_id: UUID | None
    action_type: str
    kind: str
    target_kind: str | None
    target_id: UUID | None
    input: CallArgs | None
    input_hash: bytes
    output: CallResult | None
    output_hash: bytes
    status: str
    error_code: str | None
    gate: str | None
    decision: str | None
    model: str | None
    cost_usd: Decimal | None
    duration_ms: float
    reason: str
    idempotency_key: str | None
    args_hash: bytes | None
    taint: list[str]
    undoes: UUID | None
    created_at: datetime
    erased_at: datetime | None


@dataclass(frozen=True, slots=True)
class ListedActionRow:
    """Calls from the ledger that had been made by then, newest first."""

    id: UUID
    seq: int
    actor: str
    action_type: str
    kind: str
    target_kind: str | None
    target_id: UUID | None
    status: str
    error_code: str | None
    decision: str | None
    reason: str
    duration_ms: float
    cost_usd: Decimal | None
    created_at: datetime
    session_id: UUID | None
    task_id: UUID | None
    undoes: UUID | None


@dataclass(frozen=True, slots=True)
class BrokenLinkRow:
    """Links of the ledger's chain that do not hold."""

    link_position: int
    call_seq: int
    fault: str


@dataclass(frozen=True, slots=True)
class ChainLengthRow:
    """How long the chain is, and what is settled but not linked."""

    length: int | None
    head: str | None
    unlinked: int
    orphans: int
    strays: int
    unlike: int
    waiting: int


@dataclass(frozen=True, slots=True)
class LeaningCallRow:
    """Later links to or from a node this call made, and still live."""

    id: UUID
    seq: int
    action_id: UUID
    type: str
    action_type: str
    actor: str


@dataclass(frozen=True, slots=True)
class MeantCallRow:
    """The verb a call comes down to: where it took another call back, that one's, and so on."""

    action_type: str
    input: CallArgs | None


@dataclass(frozen=True, slots=True)
class StaffRow:
    """Somebody who works here, by what they may be called."""

    slug: str
    title: str | None
    kind: str | None
    role: str | None


@dataclass(frozen=True, slots=True)
class PrincipalRow:
    """A principal by the name it acts under."""

    tenant_id: UUID
    id: UUID
    kind: str
    name: str
    actor: str
    producer_id: UUID | None
    created_at: datetime
    scopes: list[str] | None


@dataclass(frozen=True, slots=True)
class ListedPrincipalRow:
    """Who may come in, with the credentials that were live then."""

    principal_id: UUID
    kind: str
    principal: str
    actor: str
    id: UUID
    name: str
    scopes: list[str]
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    used_at: datetime | None
    single_use: bool


@dataclass(frozen=True, slots=True)
class ReadLaterRow:
    """How often others looked at what this call wrote since."""

    times: int
    actors: int


@dataclass(frozen=True, slots=True)
class RevokedRow:
    """End credentials: one, or all of a principal, and whatever was made from them."""

    id: UUID
    name: str


@dataclass(frozen=True, slots=True)
class UndoneByRow:
    """The call that took this one back, unless that was itself taken back."""

    id: UUID
    seq: int


@dataclass(frozen=True, slots=True)
class WrittenRow:
    """What a call wrote: each item, when from, and what it said there."""

    kind: str
    item_id: UUID
    op: str
    valid_from: datetime
    touched: list[str]
    from_id: UUID | None
    to_id: UUID | None
    doc: Props
    slug: str | None
    type: str | None
    title: str | None
    now_seq: int | None
    edge: str | None
    from_slug: str | None
    to_slug: str | None
    made: bool


@dataclass(frozen=True, slots=True)
class WrittenLaterRow:
    """Later calls that said something of the same things this one said something of, and still stand."""

    seq: int
    action_id: UUID
    actor: str
    recorded_at: datetime
    action_type: str
    item_id: UUID
    both: list[str]
