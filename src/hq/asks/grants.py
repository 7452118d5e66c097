"""Grants: permissions that last. An actor calls a verb without asking, within a scope and until a time."""

from __future__ import annotations

from datetime import timedelta

from pydantic import Field

from hq.asks.types import Grant
from hq.door.access import FOUNDER
from hq.door.noun_args import RefArgs
from hq.door.nouns import nouns
from hq.door.results import Row, row
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, first, verb
from hq.errors import Refused
from hq.ids import new_id
from hq.suggestion import did_you_mean


class AddGrant(Args):
    """Who may do what without asking."""

    actor: str = first(min_length=1, max_length=200)
    """Such as agent:chief."""
    verb: str = first(max_length=100, pattern=r"^[a-z][a-z_]*\.([a-z][a-z_-]*|\*)$")
    """Such as email.send, or email.* for all of a noun's."""
    scope: Ref | None = None
    """Only for calls that name this node."""
    days: float | None = Field(None, gt=0, le=3650)
    """How long."""
    uses: int | None = Field(None, ge=1, le=1_000_000)
    """How many calls."""


@verb("grant.add", "write", for_=FOUNDER, scope="founder", emits="grant.added", undo="exact")
async def add_grant(tx: Tx, args: AddGrant) -> Row:
    """Let an actor make a call without asking, within a scope and until a time."""
    noun, _, action = args.verb.partition(".")
    nouns_ = {known.noun for known in tx.door.registry}
    if noun not in nouns_:
        raise Refused.not_found(f"there is no noun {noun!r}{did_you_mean(noun, nouns_)}")
    if action != "*":
        tx.door.registry.get(args.verb)
    grant = await tx.create(
        Grant(
            actor=args.actor,
            verb=args.verb,
            scope=(await tx.get(args.scope)).slug if args.scope else None,
            expires_at=tx.now + timedelta(days=args.days) if args.days else None,
            granted_by=tx.caller.actor,
            uses_left=args.uses,
        ),
        slug=f"grant-{args.verb.replace('.', '-').replace('*', 'any')}-{new_id().hex[-8:]}",
    )
    tx.target = grant
    return row(grant)


@verb("grant.revoke", "write", for_=FOUNDER, scope="founder", emits="grant.revoked", target="ref", undo="exact")
async def revoke_grant(tx: Tx, args: RefArgs) -> Row:
    """End a grant: such calls are asked about again."""
    grant = await tx.move(await tx.get(args.ref, Grant), to="revoked")
    tx.target = grant
    return row(grant)


VERBS = (add_grant, revoke_grant, *nouns(Grant, without=("create", "update", "archive", "restore")))
