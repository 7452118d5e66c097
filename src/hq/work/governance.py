"""Changes of the organisation that agents would make: they wait, and the AR Director's seat decides (seed 003 §1.1).

Each is an approval like any other, so the founder can decide it too, and does where that seat is empty.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from hq.door.access import EVERYONE, STAFF
from hq.door.arguments import args_hash, parse
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, Result, first, verb
from hq.errors import Refused
from hq.graph.stored import Stored
from hq.graph.view import Wanted
from hq.org.authority import GOVERNED, sitting
from hq.org.organisations import Nothing
from hq.org.results import Told
from hq.work.types import Approval


@verb("org.proposals", "read", for_=EVERYONE, examples=[{}])
async def proposals(tx: Tx, args: Nothing) -> Told:
    """Changes of the organisation that wait for the AR Director or the founder."""
    waiting = await tx.find(Wanted(types=[Approval.type], status="pending", limit=1000))
    return Told(
        items=[
            {
                "approval": each.slug,
                "verb": each.props.verb,
                "requester": each.props.requester,
                "why": each.props.why,
                "arguments": each.props.arguments,
            }
            for each in reversed(waiting)
            if _governed(each)
        ]
    )


def _governed(approval: Stored[Approval]) -> bool:
    return approval.props.verb.partition(".")[0] in GOVERNED


class Decide(Args):
    """Which change, and whether it is made."""

    ref: Ref = first()
    """Slug of the approval, as `hq org proposals` shows it."""
    decision: Literal["yes", "no"] = "yes"
    """Whether the change is made."""
    note: str | None = Field(None, max_length=2000)
    """What the one who asked should know."""


class Decided(Result):
    slug: str
    decision: str
    result: dict[str, Any] | None = None


@verb("org.decide", "write", for_=STAFF, emits="org.decided", target="ref")
async def decide(tx: Tx, args: Decide) -> Decided:
    """Decide a change of the organisation that an agent proposed, from the AR Director's seat; a yes makes it."""
    approval = await tx.get(args.ref, Approval)
    await _may_decide(tx, approval)
    tx.target = approval
    said = {"decided_by": tx.caller.actor, "decided_at": tx.now, "note": args.note}
    if args.decision == "no":
        await tx.change(approval, {"status": "rejected", **said})
        tx.emit("approval.rejected", id=str(approval.id), slug=approval.slug, verb=approval.props.verb)
        return Decided(slug=approval.slug, decision="no")
    approval = await tx.change(approval, {"status": "approved", **said})
    result = await _make(tx, approval)
    await tx.change(approval, {"status": "done", "outcome_action": str(tx.action_id)})
    tx.emit("approval.done", id=str(approval.id), slug=approval.slug, verb=approval.props.verb)
    return Decided(slug=approval.slug, decision="yes", result=result)


async def _may_decide(tx: Tx, approval: Stored[Approval]) -> None:
    if not _governed(approval):
        raise Refused.forbidden(f"{approval.slug} does not change the organisation; the founder decides it")
    seat = await sitting(tx)
    if not tx.caller.human and not (seat and seat.directs):
        raise Refused.forbidden("only the AR Director's seat and the founder decide changes of the organisation")
    if str(tx.caller.principal_id) == approval.props.requester_principal:
        raise Refused.forbidden("whoever asked cannot decide")
    if approval.props.status != "pending":
        raise Refused.conflict(f"{approval.slug} is already {approval.props.status}")
    if approval.props.expires_at and approval.props.expires_at <= tx.now:
        raise Refused(f"{approval.slug} expired; the call has to be made again", code="expired")


async def _make(tx: Tx, approval: Stored[Approval]) -> dict[str, Any]:
    """The change itself, by who decides, in the same transaction: decided and made, or neither."""
    wanted = tx.door.registry.get(approval.props.verb)
    if wanted.kind != "write":
        raise Refused.forbidden(
            f"{wanted.name} reaches beyond the graph; `hq approval approve {approval.slug}` is the founder's"
        )
    args = parse(wanted, dict(approval.props.arguments))
    if args_hash(wanted, args).hex() != approval.props.arguments_hash:
        raise Refused("the arguments are not the ones that were asked for", code="stale")
    for target in approval.props.targets:
        node = await tx.get(target.id)
        if node.seq != target.sequence:
            raise Refused(f"{node.slug} changed since this was asked for; it has to be asked again", code="stale")
    for policy in tx.door.policies:
        if await policy.judge(tx, wanted, args) is not None and not tx.caller.human:
            raise Refused.forbidden(f"{wanted.name} is the founder's to decide")
    tx.taint |= approval.taint
    result = await wanted.handler(tx, args)
    return result.model_dump(mode="json", exclude_none=True)


VERBS = (proposals, decide)
