"""Facts in two times: what was true when, and what we believed when. One slot per subject and relation."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any

from pydantic import Field

from hq.database.queries import beside
from hq.door.access import EVERYONE
from hq.door.results import Listing
from hq.door.tx import Tx
from hq.door.verb import Args, Result, first, verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.graph.types import Moment
from hq.graph.view import NodeFilter
from hq.json_types import NodeItem
from hq.memory.types import Fact

SQL = beside(__file__)
SOURCE = "fact"


class FactGetArgs(Args):
    """What is meant."""

    subject: str = first(min_length=1, max_length=300)
    """Whom or what it is said of: a name, or the slug of a node."""
    relation: str = first(min_length=1, max_length=100)
    """Which trait, such as employer."""


class FactAssertArgs(FactGetArgs):
    value: str = first(min_length=1, max_length=4000)
    """What holds."""
    valid_from: Moment | None = None
    """Since when. In the past it is learned late or corrects what was said for the same moment."""
    confidence: float | None = Field(None, ge=0, le=1)
    """How sure, from 0 to 1."""


class FactKnown(Result):
    subject: str
    relation: str
    value: str | None = None
    """What holds; absent when nothing is known."""
    slug: str | None = None
    since: str | None = None


@verb(
    "fact.assert",
    "write",
    shows=("valid_from",),
    for_=EVERYONE,
    undo="exact",
    emits="fact.asserted",
    examples=[{"subject": "Ana Pereira", "relation": "employer", "value": "Acme", "valid_from": "2026-01-01"}],
    text="asserted {subject} {relation}[: {value}][ since {since}]",
)
async def assert_(tx: Tx, args: FactAssertArgs) -> FactKnown:
    """Say what holds of a subject, from now or from another day on, until something later is said."""
    return await _say(tx, args, args.value, args.valid_from, args.confidence)


class FactRetractArgs(FactGetArgs):
    valid_from: Moment | None = None
    """From when on it is no longer known."""


@verb(
    "fact.retract",
    "write",
    for_=EVERYONE,
    undo="exact",
    emits="fact.retracted",
    text="retracted {subject} {relation}[: {value}][ since {since}]",
)
async def retract(tx: Tx, args: FactRetractArgs) -> FactKnown:
    """Say that from some moment on it is no longer known."""
    if await _slot(tx, args) is None:
        raise Refused.not_found(f"nothing is known of {args.subject}'s {args.relation}")
    return await _say(tx, args, None, args.valid_from, None)


@verb("fact.get", "read", for_=EVERYONE)
async def get(tx: Tx, args: FactGetArgs) -> FactKnown:
    """What holds of a subject; with --at and --known-at, what held then, as far as was known then."""
    fact = await _slot(tx, args)
    if fact is None or fact.valid_from > tx.true_at:
        return FactKnown(subject=args.subject, relation=args.relation)
    tx.target = fact
    return _known(fact).model_copy(update={"since": await _since(tx, fact)})


class FactListArgs(Args):
    """Which facts."""

    subject: str | None = Field(None, max_length=300)
    """Only of this subject."""
    relation: str | None = Field(None, max_length=100)
    """Only this trait."""
    limit: int = Field(50, ge=1, le=200)
    """How many at most."""


@verb("fact.list", "read", for_=EVERYONE, examples=[{}])
async def list_(tx: Tx, args: FactListArgs) -> Listing[NodeItem]:
    """What is known, newest first."""
    props = {name: value for name in ("subject", "relation") if (value := getattr(args, name))}
    facts = await tx.find(NodeFilter(types=[Fact.type], props=props, limit=args.limit))
    return Listing[NodeItem](items=[fact.brief() for fact in facts if fact.props.value is not None])


async def _since(tx: Tx, fact: Stored[Fact]) -> str:
    """Since when this very value holds: a change point that says nothing of it, such as one undone, does not count."""
    values = {"id": fact.id, "value": fact.props.value, "true_at": tx.true_at, **tx.known_values()}
    since = await tx.scalar(SQL["held_since"], values, of=datetime)
    return (since or fact.valid_from).isoformat()


async def _slot(tx: Tx, args: FactGetArgs) -> Stored[Fact] | None:
    found = await tx.find(NodeFilter(types=[Fact.type], external=(SOURCE, _key(args)), limit=1, archived=True))
    return found[0] if found else None


async def _say(tx: Tx, args: FactGetArgs, value: str | None, since: Any, confidence: float | None) -> FactKnown:
    fact = await _slot(tx, args)
    if fact is None:
        label = f"{args.subject}: {args.relation}"
        fact = await tx.create(
            Fact(label=label, subject=args.subject, relation=args.relation, value=value),
            external=(SOURCE, _key(args)),
            confidence=confidence,
            valid_from=since,
        )
        subject = await tx.look_up(args.subject) if len(args.subject) <= 200 else None
        if subject is not None and tx.catalogue.edge("about").joins(Fact.type, subject.type):
            await tx.link(fact, "about", subject)
    else:
        fact = await tx.change(fact, {"value": value}, valid_from=since, confidence=confidence)
    tx.target = fact
    return _known(fact)


def _key(args: FactGetArgs) -> str:
    return hashlib.sha256(f"{args.subject}\x1f{args.relation}".encode()).hexdigest()


def _known(fact: Stored[Fact]) -> FactKnown:
    return FactKnown(
        subject=fact.props.subject,
        relation=fact.props.relation,
        value=fact.props.value,
        slug=fact.slug,
        since=fact.valid_from.isoformat(),
    )


VERBS = (assert_, retract, get, list_)
