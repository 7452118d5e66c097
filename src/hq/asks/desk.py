"""The approval desk: where the door parks a call that needs a yes, and asks for it again once there is one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

from hq.asks.asked_text import asked_text
from hq.asks.open_asks import check_few
from hq.asks.rows import GrantRow, KeyedCallRow
from hq.asks.types import Approval, Grant
from hq.database.queries import beside
from hq.door.arguments import args_hash, public_args, same_args
from hq.door.gate import DECIDED, GateVerdict, ParkedCall, WaitResult
from hq.door.text import short_texts
from hq.door.tx import Tx
from hq.door.verb import Verb
from hq.errors import HqError, Refused
from hq.graph.records import Stored
from hq.graph.view import NodeFilter
from hq.ids import new_id

SQL = beside(__file__)
EXPIRES_AFTER = timedelta(days=3)


class ApprovalDesk:
    """What the door asks when a call must wait: was it granted before, park it, may it go on."""

    def __init__(self, parked: Callable[[Tx, Stored[Any]], Awaitable[None]]) -> None:
        self._parked = parked
        """Told of each that is asked for, within the same transaction."""

    async def granted(self, tx: Tx, verb: Verb, args: Any) -> Stored[Grant] | None:
        verbs = [verb.name, f"{verb.noun}.*", "*"]
        rows = await tx.rows(SQL["grants"], {"actors": tx.caller.known_as, "verbs": verbs}, into=GrantRow)
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

    async def park(self, tx: Tx, verb: Verb, args: Any, verdict: GateVerdict) -> ParkedCall:
        # A yes is good only while everything the arguments name is as it was.
        await check_few(tx)
        targets = await tx.named(short_texts(args.model_dump(mode="json")))
        cost = await verb.forecast(tx, args) if verb.forecast else None
        approval = await tx.create(
            Approval(
                verb=verb.name,
                asks=asked_text(verb, public_args(verb, args), targets, await _numbered(tx, args)),
                arguments=public_args(verb, args),
                arguments_hash=args_hash(verb, args).hex(),
                targets=[{"id": str(node.id), "sequence": node.seq} for node in targets],  # type: ignore[list-item]
                requester=tx.caller.actor,
                requester_principal=str(tx.caller.principal_id),
                gate=verdict.gate,
                why=tx.call.reason or verdict.why,
                needs=verdict.why,
                forecast_cost_usd=cost.usd if cost else None,
                forecast=cost.says if cost else "",
                expires_at=tx.now + EXPIRES_AFTER,
            ),
            slug=f"approve-{verb.name.replace('.', '-')}-{new_id().hex[-8:]}",
        )
        for node in targets:
            if tx.catalogue.edge("about").joins("approval", node.type):
                await tx.link(approval, "about", node)
        tx.target = approval
        await self._parked(tx, approval)
        tx.emit("approval.requested", slug=approval.slug, verb=verb.name, actor=tx.caller.actor, gate=verdict.gate)
        return {
            "approval": approval.slug,
            "id": str(approval.id),
            "waits_for": f"approval:{approval.id}",
            "waits_on": list(DECIDED),
            "expires_at": (tx.now + EXPIRES_AFTER).isoformat(),
        }

    async def became(self, tx: Tx, asked: UUID) -> WaitResult:
        approval = await tx.get(asked, Approval)
        if approval.props.status == "pending" and approval.props.expires_at and approval.props.expires_at <= tx.now:
            return WaitResult("refused", why=_expired(approval))
        match approval.props.status:
            case "pending" | "approved":
                return WaitResult("waiting", why=f"waiting for approval {approval.slug}")
            case "done":
                made = await tx.one(SQL["made_under_key"], {"key": approval_key(approval.id)}, into=KeyedCallRow)
                if made is not None:
                    return WaitResult("ok", made.output)
                decided = {"action": approval.props.outcome_action}
                return WaitResult("ok", await tx.scalar(SQL["made_by_decision"], decided, of=dict))
            case "expired":
                return WaitResult("refused", why=_expired(approval))
            case other:
                return WaitResult(
                    "refused", why=f"{approval.slug} was {other}: {approval.props.note or 'no reason given'}"
                )

    async def may_resume(self, tx: Tx, verb: Verb, args: Any) -> None:
        """On a yes the call is looked at again: same arguments, targets untouched, not too late."""
        assert tx.call.approval_id is not None
        approval = await tx.get(tx.call.approval_id, Approval)
        terms = approval.props
        if terms.status != "approved":
            raise Refused.conflict(f"{approval.slug} is {terms.status}, not approved")
        if terms.expires_at is not None and terms.expires_at <= tx.now:
            raise Refused(f"{approval.slug} expired {terms.expires_at:%Y-%m-%d %H:%M}", code="expired")
        held = await tx.scalar(
            SQL["still_holds"],
            {
                "principal": tx.caller.principal_id,
                "now": tx.now,
                "scopes": [verb.scope, f"{verb.scope}:{verb.noun}", verb.name],
            },
            of=bool,
        )
        if not held:
            raise Refused.forbidden(f"{tx.caller.actor} no longer holds the scope {verb.name} needs")
        await check_unchanged(tx, approval, verb, args)

    async def resumed(self, tx: Tx) -> None:
        """The approved call was made: the yes is used up."""
        assert tx.call.approval_id is not None
        approval = await tx.get(tx.call.approval_id, Approval)
        await tx.change(approval, {"status": "done", "outcome_action": str(tx.action_id)})
        tx.emit("approval.done", id=str(approval.id), slug=approval.slug, verb=approval.props.verb)

    async def gave_up(self, tx: Tx, approval: UUID, error: HqError) -> None:
        """The approved call was refused after all, and has to be asked for again. What passes can still be tried."""
        if not isinstance(error, Refused) or error.code.name in ("frozen", "paused"):
            return
        parked = await tx.get(approval, Approval)
        if parked.props.status == "approved":
            await tx.change(parked, {"status": "failed", "note": error.message})
            tx.emit("approval.failed", id=str(parked.id), slug=parked.slug, verb=parked.props.verb, why=error.message)


def approval_key(approval: UUID) -> str:
    return f"approval:{approval}"


def _expired(approval: Stored[Approval]) -> str:
    return f"{approval.slug} expired, nobody decided; go on without it, or make the call again under another key"


async def check_unchanged(tx: Tx, approval: Stored[Approval], verb: Verb, args: Any) -> None:
    """A yes is good for the very arguments that were asked for, on things that are as they were."""
    if not same_args(verb, args, approval.props.arguments_hash):
        raise Refused("the arguments are not the ones that were approved", code="stale")
    for target in approval.props.targets:
        node = await tx.get(UUID(target.id))
        if node.seq != target.sequence:
            raise Refused(f"{node.slug} changed since the approval was asked for; ask again", code="stale")


async def _numbered(tx: Tx, args: Any) -> dict[str, Stored[Any]]:
    """What arguments name by a number, such as a seat by its `position_id`."""
    found: dict[str, Stored[Any]] = {}
    for name, value in args:
        if isinstance(value, int) and name.endswith("_id") and name.removesuffix("_id") in tx.catalogue.nodes:
            for node in await tx.find(NodeFilter(types=[name.removesuffix("_id")], number=value, limit=1)):
                found[name] = node
    return found
