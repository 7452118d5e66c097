"""Calls that wait for a yes, and yeses that last: approvals and grants."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from pydantic import Field

from hq.database.queries import beside
from hq.door.access import FOUNDER
from hq.door.arguments import args_hash, public_args
from hq.door.gate import DECIDED, Became, Verdict
from hq.door.nouns import Shown, nouns
from hq.door.results import Row, row
from hq.door.text import short_texts
from hq.door.tx import Call, Tx
from hq.door.verb import Args, Ref, Verb, first, verb
from hq.errors import HqError, Refused
from hq.graph.stored import Stored
from hq.ids import new_id
from hq.nearest import did_you_mean
from hq.work.types import Approval, Grant

SQL = beside(__file__)
PATIENCE = timedelta(days=3)


class ApprovalDesk:
    """What the door asks when a call must wait: was it granted before, park it, may it go on."""

    async def granted(self, tx: Tx, verb: Verb, args: Any) -> Stored[Grant] | None:
        rows = await tx.rows(SQL["grants"], {"actor": tx.caller.actor, "verbs": [verb.name, f"{verb.noun}.*", "*"]})
        for found in rows:
            grant = await tx.get(found.id, Grant)
            if await self._fits(tx, grant, verb, args):
                return grant
        return None

    async def _fits(self, tx: Tx, grant: Stored[Grant], verb: Verb, args: Any) -> bool:
        """In time, and on the very node it is limited to: the one the call acts on, not any it mentions."""
        terms = grant.props
        if terms.expires_at is not None and terms.expires_at <= tx.now:
            return False
        if terms.scope is None:
            return True
        ref = getattr(args, verb.target) if verb.target else None
        target = await tx.look_up(ref) if ref else None
        return target is not None and target.slug == terms.scope

    async def use(self, tx: Tx, grant: Stored[Any]) -> None:
        if grant.props.uses_left is None:
            return
        left = grant.props.uses_left - 1
        await tx.change(grant, {"uses_left": left, **({"status": "used"} if left == 0 else {})})

    async def park(self, tx: Tx, verb: Verb, args: Any, verdict: Verdict) -> dict[str, Any]:
        # A yes is good only while everything the arguments name is as it was.
        targets = await tx.named(short_texts(args.model_dump(mode="json")))
        approval = await tx.create(
            Approval(
                verb=verb.name,
                arguments=public_args(verb, args),
                arguments_hash=args_hash(verb, args).hex(),
                targets=[{"id": str(node.id), "sequence": node.seq} for node in targets],  # type: ignore[list-item]
                requester=tx.caller.actor,
                requester_principal=str(tx.caller.principal_id),
                gate=verdict.gate,
                why=tx.call.reason or verdict.why,
                expires_at=tx.now + PATIENCE,
            ),
            slug=f"approve-{verb.name.replace('.', '-')}-{new_id().hex[-8:]}",
        )
        for node in targets:
            if tx.catalogue.edge("about").joins("approval", node.type):
                await tx.link(approval, "about", node)
        tx.target = approval
        tx.emit("approval.requested", slug=approval.slug, verb=verb.name, actor=tx.caller.actor, gate=verdict.gate)
        return {
            "approval": approval.slug,
            "id": str(approval.id),
            "waits_for": f"approval:{approval.id}",
            "waits_on": list(DECIDED),
            "expires_at": (tx.now + PATIENCE).isoformat(),
        }

    async def became(self, tx: Tx, parked: dict[str, Any]) -> Became:
        approval = await tx.get(UUID(parked["id"]), Approval)
        if approval.props.status == "pending" and approval.props.expires_at and approval.props.expires_at <= tx.now:
            return Became("refused", why=_expired(approval))
        match approval.props.status:
            case "pending" | "approved":
                return Became("waiting", why=f"waiting for approval {approval.slug}")
            case "done":
                made = await tx.one(SQL["made_under_key"], {"key": _key(approval.id)})
                made = made or await tx.one(SQL["made_by_decision"], {"action": approval.props.outcome_action})
                return Became("ok", made.output if made else None)
            case "expired":
                return Became("refused", why=_expired(approval))
            case other:
                return Became("refused", why=f"{approval.slug} was {other}: {approval.props.note or 'no reason given'}")

    async def may_resume(self, tx: Tx, verb: Verb, args: Any) -> None:
        """On a yes the call is looked at again: same arguments, targets untouched, not too late."""
        assert tx.call.approval_id is not None
        approval = await tx.get(tx.call.approval_id, Approval)
        terms = approval.props
        if terms.status != "approved":
            raise Refused.conflict(f"{approval.slug} is {terms.status}, not approved")
        if terms.expires_at is not None and terms.expires_at <= tx.now:
            raise Refused(f"{approval.slug} expired {terms.expires_at:%Y-%m-%d %H:%M}", code="expired")
        held = await tx.one(
            SQL["still_holds"],
            {
                "principal": tx.caller.principal_id,
                "now": tx.now,
                "scopes": [verb.scope, f"{verb.scope}:{verb.noun}", verb.name],
            },
        )
        if not held.holds:
            raise Refused.forbidden(f"{tx.caller.actor} no longer holds the scope {verb.name} needs")
        if terms.arguments_hash != args_hash(verb, args).hex():
            raise Refused("the arguments are not the ones that were approved", code="stale")
        for target in terms.targets:
            node = await tx.get(UUID(target.id))
            if node.seq != target.sequence:
                raise Refused(f"{node.slug} changed since the approval was asked for; ask again", code="stale")

    async def resumed(self, tx: Tx) -> None:
        """The approved call was made: the yes is used up."""
        assert tx.call.approval_id is not None
        approval = await tx.get(tx.call.approval_id, Approval)
        await tx.change(approval, {"status": "done", "outcome_action": str(tx.action_id)})
        tx.emit("approval.done", id=str(approval.id), slug=approval.slug, verb=approval.props.verb)

    async def gave_up(self, tx: Tx, approval: UUID, error: HqError) -> None:
        """The approved call was refused after all, and has to be asked for again. What passes can still be tried."""
        if not isinstance(error, Refused) or error.code.name == "frozen":
            return
        parked = await tx.get(approval, Approval)
        if parked.props.status == "approved":
            await tx.change(parked, {"status": "failed", "note": error.message})
            tx.emit("approval.failed", id=str(parked.id), slug=parked.slug, verb=parked.props.verb, why=error.message)


def _key(approval: UUID) -> str:
    return f"approval:{approval}"


def _expired(approval: Stored[Approval]) -> str:
    return f"{approval.slug} expired, nobody decided; go on without it, or make the call again under another key"


class Approve(Args):
    """Which approval."""

    ref: Ref = first()
    """Its slug, as `hq approval list` shows it."""
    note: str | None = Field(None, max_length=2000)
    """What the one who asked should know."""
    always_for: str | None = Field(None, max_length=200)
    """From now on without asking: `any`, or the slug it is limited to."""
    days: float | None = Field(None, gt=0, le=3650)
    """How long that grant lasts."""


@verb("approval.approve", "write", for_=FOUNDER, scope="founder", emits="approval.approved", target="ref")
async def approve(tx: Tx, args: Approve) -> Row:
    """Say yes: the parked call goes on at once, as the one who asked."""
    approval = await tx.get(args.ref, Approval)
    _may_decide(tx, approval)
    if approval.props.status == "pending":
        approval = await tx.change(
            approval,
            {"status": "approved", "decided_by": tx.caller.actor, "decided_at": tx.now, "note": args.note},
        )
    elif approval.props.status != "approved":
        raise Refused.conflict(f"{approval.slug} is already {approval.props.status}")
    if args.always_for:
        await _grant(tx, approval, args)
    tx.target = approval
    tx.then.append(
        Call(
            approval.props.verb,
            dict(approval.props.arguments),
            tx.call.token,
            actor=approval.props.requester,
            key=_key(approval.id),
            reason=approval.props.why,
            parent_id=tx.action_id,
            approval_id=approval.id,
            inside=True,
            taint=approval.taint,
        )
    )
    return row(approval)


class Reject(Args):
    """Which approval."""

    ref: Ref = first()
    """Its slug."""
    note: str | None = Field(None, max_length=2000)
    """Why not."""


@verb("approval.reject", "write", for_=FOUNDER, scope="founder", emits="approval.rejected", target="ref")
async def reject(tx: Tx, args: Reject) -> Row:
    """Say no: the parked call never runs. A yes that has not been used yet is taken back."""
    approval = await tx.get(args.ref, Approval)
    _may_decide(tx, approval)
    tx.target = approval
    no = "cancelled" if approval.props.status == "approved" else "rejected"
    return row(
        await tx.change(
            approval, {"status": no, "decided_by": tx.caller.actor, "decided_at": tx.now, "note": args.note}
        )
    )


def _may_decide(tx: Tx, approval: Stored[Approval]) -> None:
    if str(tx.caller.principal_id) == approval.props.requester_principal:
        raise Refused.forbidden("whoever asked cannot decide")
    if approval.props.expires_at and approval.props.expires_at <= tx.now:
        raise Refused(f"{approval.slug} expired; the call has to be made again", code="expired")


async def _grant(tx: Tx, approval: Stored[Approval], args: Approve) -> None:
    scope = None if args.always_for == "any" else (await tx.get(args.always_for or "")).slug
    await tx.create(
        Grant(
            actor=approval.props.requester,
            verb=approval.props.verb,
            scope=scope,
            expires_at=tx.now + timedelta(days=args.days) if args.days else None,
            granted_by=tx.caller.actor,
            from_approval=approval.slug,
        ),
        slug=f"grant-{approval.props.verb.replace('.', '-')}-{new_id().hex[-8:]}",
    )


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
async def revoke_grant(tx: Tx, args: Shown) -> Row:
    """End a grant: such calls are asked about again."""
    grant = await tx.move(await tx.get(args.ref, Grant), to="revoked")
    tx.target = grant
    return row(grant)


ONLY_READ = ("create", "update", "archive", "restore")
VERBS = (
    approve,
    reject,
    add_grant,
    revoke_grant,
    *nouns(Approval, without=ONLY_READ),
    *nouns(Grant, without=ONLY_READ),
)
