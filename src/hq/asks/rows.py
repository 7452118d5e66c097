"""Rows of this room's queries, one class each; the fields are the columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from hq.json_types import CallArgs, CallResult, Props


@dataclass(frozen=True, slots=True)
class GrantRow:
    """Grants in force that may fit an actor and a verb."""

    id: UUID
    slug: str


@dataclass(frozen=True, slots=True)
class GroundsRow:
    """By what each outside mark of an ask came into the session that asked: the first step there that bears it."""

    mark: str
    kind: str
    verb: str | None
    input: CallArgs | None
    senders: list[str] | None
    at: datetime


@dataclass(frozen=True, slots=True)
class FounderSaidRow:
    """The newest message of a person in a conversation."""

    agent: str
    sender: str
    body: str
    at: datetime
    taint: list[str]


@dataclass(frozen=True, slots=True)
class EndedAskRow:
    """Who ended an ask without an answer, and why."""

    by: str
    why: str | None


@dataclass(frozen=True, slots=True)
class HouseListRow:
    """The asks that the house listed last in a conversation, what a person had said before that, and what the agent did since."""

    asks: list[UUID]
    at: datetime
    about: str | None
    told: str | None
    """Who it was told to: whose word it answers."""
    spoken_since: bool
    asked_since: bool
    put_since: bool


@dataclass(frozen=True, slots=True)
class ScriptListRow:
    """The asks that a script listed which had understood nothing, and what a person had said that it did not understand."""

    asks: list[UUID]
    about: str | None
    at: datetime
    told: str | None
    text: str | None
    """What the script said."""
    beside: bool


@dataclass(frozen=True, slots=True)
class KeyedCallRow:
    """The call that was made under an idempotency key."""

    id: UUID
    output: CallResult | None


@dataclass(frozen=True, slots=True)
class PutBeforeRow:
    """Of each ask, whether a card of it was shown in a conversation, and what was said or asked there since, and before it."""

    ask: UUID
    before: bool
    carded: bool
    spoken_since: bool
    asked_since: bool
    asked_before: bool
    spoken_before: bool
    asked_open: bool
    put: bool


@dataclass(frozen=True, slots=True)
class WaitingAskRow:
    """What waits for somebody."""

    id: UUID
    type: str
    slug: str
    status: str
    title: str
    says: str | None
    props: Props
    taint: list[str]
    at: datetime
    updated_at: datetime
    asked_by: str | None
    agent: str | None
    mission: str | None
    mission_title: str | None
    about: str | None
    addressed: list[str]
    deadline: datetime | None
    card: UUID | None


@dataclass(frozen=True, slots=True)
class AskDueRow:
    """An ask that somebody is to be reminded of, or that is over."""

    tenant_id: UUID
    what: str
    id: UUID
    slug: str
    why: str | None
    item: str
