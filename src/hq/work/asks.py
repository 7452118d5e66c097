"""The nouns of what somebody must decide: review and proposal."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from pydantic import Field

from hq.database.queries import beside
from hq.door.access import EVERYONE, FOUNDER, LEADERS, STAFF
from hq.door.arguments import parse
from hq.door.nouns import Shown, nouns
from hq.door.results import Row, row
from hq.door.tx import Call, Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.door.verbs.ledger import Undo
from hq.errors import Refused
from hq.graph.moment import parse_moment
from hq.graph.stored import Stored
from hq.ids import event_name
from hq.work.types import Proposal, Review

SQL = beside(__file__)


class Resolve(Args):
    """What is decided."""

    ref: Ref = first()
    """Slug or id of the review."""
    choice: str = Field(max_length=100)
    """The key of one of its options."""
    note: str | None = Field(None, max_length=4000)
    """Anything to add."""


@verb("review.resolve", "write", for_=LEADERS, undo="exact", emits="review.resolved", target="ref")
async def resolve(tx: Tx, args: Resolve) -> Row:
    """Decide a review by choosing one of its options."""
    review = await tx.get(args.ref, Review)
    keys = [option.key for option in review.props.options]
    if keys and args.choice not in keys:
        raise Refused.invalid(f"{args.choice!r} is not an option of {review.slug}; it has {', '.join(keys)}")
    review = await tx.move(review, to="resolved", choice=args.choice, note=args.note)
    tx.target = review
    return row(review)


class Defer(Args):
    """Until when."""

    ref: Ref = first()
    """Slug or id of the review."""
    until: str | None = Field(None, max_length=40)
    """When it comes back; left out, tomorrow."""


@verb("review.defer", "write", for_=LEADERS, undo="exact", emits="review.deferred", target="ref")
async def defer(tx: Tx, args: Defer) -> Row:
    """Put a review off."""
    until = parse_moment(args.until, tx.now) if args.until else tx.now + timedelta(days=1)
    review = await tx.move(await tx.get(args.ref, Review), to="deferred", defer_until=until)
    tx.target = review
    return row(review)


class Dismiss(Args):
    """Which review. Say why with --reason."""

    ref: Ref = first()
    """Slug or id of the review."""


@verb("review.dismiss", "write", for_=LEADERS, undo="exact", emits="review.dismissed", target="ref")
async def dismiss(tx: Tx, args: Dismiss) -> Row:
    """Close a review without deciding it."""
    if not tx.call.reason:
        raise Refused.invalid("say why with --reason")
    review = await tx.move(await tx.get(args.ref, Review), to="dismissed", note=tx.call.reason)
    tx.target = review
    return row(review)


class Propose(Args):
    """What somebody would change."""

    kind: str = Field(min_length=1, max_length=100)
    """What sort of change, such as prompt_tweak or org_change."""
    body: str = Field("", max_length=20_000)
    """What would change and why."""
    evidence: dict[str, Any] = Field(default_factory=dict)
    """What speaks for it."""
    change: dict[str, Any] = Field(default_factory=dict)
    """The call that makes the change: {"verb": "task.create", "args": {…}}."""
    about: Ref | None = None
    """What it would change."""


@verb(
    "proposal.propose",
    "write",
    for_=EVERYONE,
    undo="exact",
    emits="proposal.proposed",
    examples=[{"kind": "prompt_tweak", "body": "Answer shorter.", "evidence": {"edits": 12}}],
)
async def propose(tx: Tx, args: Propose) -> Row:
    """Propose a change for somebody else to decide."""
    _check_change(tx, args.change)
    proposal = await tx.create(Proposal(kind=args.kind, body=args.body, evidence=args.evidence, change=args.change))
    if args.about:
        await tx.link(proposal, "about", await tx.get(args.about))
    tx.target = proposal
    return row(proposal)


class Decide(Args):
    """Which proposal."""

    ref: Ref = first()
    """Slug or id of the proposal."""
    note: str | None = Field(None, max_length=4000)
    """What the one who proposed it should know."""


@verb("proposal.accept", "write", for_=FOUNDER, scope="founder", emits="proposal.accepted", target="ref")
async def accept(tx: Tx, args: Decide) -> Row:
    """Accept a proposal; where it names a call, the call is made."""
    proposal = await tx.get(args.ref, Proposal)
    proposal = await tx.move(proposal, to="accepted", decided_by=tx.caller.actor, decided_at=tx.now, note=args.note)
    change = proposal.props.change
    if change:
        args_: Any = change.get("args") or {}
        tx.then += [
            Call(
                str(change["verb"]),
                args_,
                tx.call.token,
                key=_key(proposal.id),
                reason=f"proposal {proposal.slug}",
                parent_id=tx.action_id,
                taint=proposal.taint,
                actor=tx.call.actor,
                inside=True,
            ),
            Call(
                "proposal.applied",
                {"ref": str(proposal.id)},
                tx.call.token,
                parent_id=tx.action_id,
                actor=tx.call.actor,
            ),
        ]
    tx.target = proposal
    return row(proposal)


@verb("proposal.applied", "write", for_=FOUNDER, scope="founder", emits="proposal.applied", target="ref", hidden=True)
async def applied(tx: Tx, args: Shown) -> Row:
    """Note that an accepted proposal's change was made; the ledger must say so."""
    proposal = await tx.get(args.ref, Proposal)
    await _applied_by(tx, proposal)
    tx.target = proposal
    return row(await tx.move(proposal, to="applied"))


@verb("proposal.reject", "write", for_=FOUNDER, scope="founder", undo="exact", emits="proposal.rejected", target="ref")
async def reject(tx: Tx, args: Decide) -> Row:
    """Turn a proposal down."""
    proposal = await tx.get(args.ref, Proposal)
    proposal = await tx.move(proposal, to="rejected", decided_by=tx.caller.actor, decided_at=tx.now, note=args.note)
    tx.target = proposal
    return row(proposal)


class RolledBack(Result):
    slug: str
    undone: str


@verb("proposal.rollback", "write", for_=FOUNDER, scope="founder", emits="proposal.rolled_back", target="ref")
async def rollback(tx: Tx, args: Shown) -> RolledBack:
    """Take back what an applied proposal changed."""
    proposal = await tx.get(args.ref, Proposal)
    done = await _applied_by(tx, proposal)
    await tx.door.registry.get("action.undo").handler(tx, Undo(id=str(done)))
    await tx.move(proposal, to="rolled_back")
    tx.target = proposal
    return RolledBack(slug=proposal.slug, undone=event_name(done))


def _key(proposal: UUID) -> str:
    return f"proposal:{proposal}"


async def _applied_by(tx: Tx, proposal: Stored[Proposal]) -> UUID:
    """The call that made a proposal's change."""
    row_ = await tx.one(SQL["made_under_key"], {"key": _key(proposal.id)})
    if row_ is None:
        raise Refused.conflict(f"{proposal.slug} has changed nothing")
    return row_.id


def _check_change(tx: Tx, change: dict[str, Any]) -> None:
    if not change:
        return
    if not isinstance(change.get("verb"), str) or set(change) - {"verb", "args"}:
        raise Refused.invalid('change: say which call it is, as {"verb": "task.create", "args": {…}}')
    named = tx.door.registry.get(change["verb"])
    if named.secret:
        raise Refused.invalid(f"{named.name} takes a secret, and a proposal is read by many; call it directly")
    parse(named, change.get("args") or {})


VERBS = (
    resolve,
    defer,
    dismiss,
    propose,
    accept,
    applied,
    reject,
    rollback,
    *nouns(
        Review,
        for_=LEADERS,
        made_by=STAFF,
        examples={"create": [{"question_text": "Merge these two?", "options": [{"key": "yes", "label": "Yes"}]}]},
    ),
    *nouns(Proposal, for_=LEADERS, without=("create", "update")),
)
