"""The caller, proven by a token: what `ops.open_call` found."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypedDict
from uuid import UUID

from hq.database.rows import RowReader
from hq.door.borders import Share
from hq.door.verb import Verb
from hq.errors import Refused

Kind = Literal["founder", "device", "agent", "worker", "service", "house"]
HUMAN: tuple[Kind, ...] = ("founder", "device")
FOUNDER = "founder"
ONE_TIME = ("auth.exchange", "auth.redeem", "auth.disconnect")
"""What a credential calls that is good once."""
ALL_SCOPES = ("read", "write", "effect", "sql", "founder", "install")


@dataclass(frozen=True)
class Caller:
    credential_id: UUID
    tenant_id: UUID
    principal_id: UUID
    kind: Kind
    actor: str
    scopes: frozenset[str]
    producer_id: UUID | None
    founder_id: UUID | None
    risk_tolerance: Literal["cautious", "balanced", "aggressive"]
    single_use: bool
    role: Literal["ceo", "operator"] | None = None
    """Of an agent: whether it is the one that leads, or the one that operates."""
    project: str | None = None
    """Of a worker: the project for which it stands, as its agent."""
    shares: tuple[Share, ...] = ()
    """What agents' files keep for one of them, where it matters: of a change that no person and not the house makes."""
    given: frozenset[str] | None = None
    """The verbs that an agent is given by its file or its record, and its workers with it; nothing where no record says."""

    @property
    def human(self) -> bool:
        return self.kind in HUMAN

    @property
    def in_person(self) -> bool:
        """A person's own word, not a program's: it chooses words, defaults and how raw a text is shown. Who may is never
        asked of it, but declared on the verb."""
        return self.human

    @property
    def house(self) -> bool:
        """The house's own hand, `service:hq`: what duties do. No token that was issued is of it."""
        return self.kind == "house"

    @property
    def agent(self) -> str | None:
        """The agent that calls, or the one for which a worker does; nobody for people, services and the house."""
        return self.actor.partition(":")[2].partition("/")[0] if self.kind in ("agent", "worker") else None

    @property
    def agent_itself(self) -> str | None:
        """The agent that calls by itself, not through a worker."""
        return self.agent if self.kind == "agent" else None

    @property
    def speaks_as(self) -> str:
        """Who says it. People are one, whatever device they write from, and what an agent runs beside itself is it."""
        return FOUNDER if self.human else self.actor.partition("/")[0]

    @property
    def speaks_for(self) -> str:
        """On whose behalf it is said: a worker speaks for its agent, what is no person's and no agent's for the system."""
        return FOUNDER if self.human else f"agent:{self.agent}" if self.agent else "system"

    @property
    def off_record(self) -> bool:
        """A program under a name that no agent of the company has: as far outside as a service is."""
        on_record = self.given is not None or self.role or self.project
        return self.kind in ("agent", "worker") and not on_record

    @property
    def mark(self) -> str | None:
        """Where what it says comes from, if that is outside: from a program that people let in. Of what comes from a person, the
        house and agents nothing has to be said here."""
        return self.speaks_as if (self.kind == "service" or self.off_record) and self.actor else None

    @property
    def known_as(self) -> list[str]:
        """The names under which something was given to it: its own, and that of the agent it works for."""
        return list(dict.fromkeys((self.actor, *([f"agent:{self.agent}"] if self.agent else []))))

    def may(self, verb: Verb) -> bool:
        """Holds the scope, and founder's verbs only as a person: no agent, worker or service ever does."""
        if verb.scope in ("founder", "install") and not self.human:
            return False
        if verb.of_people and self.human and not self.holds(verb.of_people, verb.noun):
            return False
        return bool(self.scopes & {verb.scope, f"{verb.scope}:{verb.noun}", verb.name})

    def names(self, verb: Verb) -> bool:
        """Whether the credential names the verb or its noun, and not only what sort of call it is."""
        return not self.scopes.isdisjoint((f"{verb.scope}:{verb.noun}", verb.name))

    def is_given(self, verb: Verb) -> bool:
        """To change something with: by its file or its record, or by name in its credential. Looking is not given out; what each sees
        is. Nor is answering what one was asked: who that is, an ask says."""
        if self.given is None or not verb.changes or verb.answers:
            return True
        return verb.name in self.given or self.names(verb)

    def may_be_given(self, verb: Verb) -> bool:
        """Also for what is one's own, or theirs whom one leads: that needs no giving."""
        return self.is_given(verb) or any(touch.gives for touch in verb.touches)

    def holds(self, scope: str, *nouns: str) -> bool:
        """Whether the credential has a scope, in whole or for one of some nouns."""
        return not self.scopes.isdisjoint((scope, *(f"{scope}:{noun}" for noun in nouns)))

    def check(self, verb: Verb) -> None:
        if self.single_use and verb.name not in ONE_TIME:
            raise Refused.forbidden("a one-time code can only be exchanged for what it stands for")
        if self.may(verb):
            return
        if verb.scope in ("founder", "install") and not self.human:
            raise Refused.forbidden(
                f"{verb.name} is the founder's alone; {self.actor or 'who calls'} cannot call it, only ask the founder to"
            )
        scope = verb.of_people if verb.of_people and self.human else verb.scope
        raise Refused.forbidden(f"this credential does not hold the scope {scope!r} that {verb.name} needs")


def new_token(kind: str) -> str:
    return f"hq_{kind}_{secrets.token_urlsafe(32)}"


def token_hash(token: str) -> bytes:
    """256 random bits need no slow hash; what is stored cannot be turned back into the token."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


class KeptFreeze(TypedDict):
    """What is frozen or paused, as the database tells it; `tx.Freeze` says what it means."""

    scope: str
    state: str
    by: str | None
    reason: str | None
    binds: bool


class KeptCall(TypedDict):
    """What was done before under a key, as the database tells it; `replay.EarlierCall` says what it means."""

    id: str
    trace_id: str
    seq: int
    status: Literal["ok", "waiting"]
    output: Any
    args_hash: str
    taint: list[str]


class KeptShare(TypedDict):
    """What an agent's files keep for it, and what it never does."""

    agent: str
    owns: list[str]
    never: list[str]


@dataclass(frozen=True, slots=True)
class OpenedCallRow:
    """What a call is opened with: whose credential it is, what is frozen, and what was done before under its key."""

    credential_id: UUID
    tenant_id: UUID
    principal_id: UUID
    kind: Kind
    actor: str
    scopes: list[str]
    producer_id: UUID | None
    founder_id: UUID | None
    risk_tolerance: Literal["cautious", "balanced", "aggressive"]
    single_use: bool
    seq: int
    freezes: list[KeptFreeze]
    before: KeptCall | None
    role: Literal["ceo", "operator"] | None
    project: str | None
    shares: list[KeptShare]
    record: str | None


def caller_from(row: OpenedCallRow, given: frozenset[str] | None = None) -> Caller:
    return Caller(
        row.credential_id,
        row.tenant_id,
        row.principal_id,
        row.kind,
        row.actor,
        frozenset(row.scopes),
        row.producer_id,
        row.founder_id,
        row.risk_tolerance,
        row.single_use,
        row.role,
        row.project,
        shares_from(row.shares),
        given,
    )


def shares_from(kept: Iterable[KeptShare]) -> tuple[Share, ...]:
    return tuple(Share(each["agent"], tuple(each["owns"]), tuple(each["never"])) for each in kept)


async def shares(reader: RowReader) -> tuple[Share, ...]:
    """What agents' files keep for one of them, as a call that changes something is opened with."""
    return shares_from(await reader.the_scalar("select ops.shares_here()", of=list))
