"""Approvals that nobody decides: the founder is reminded, then told that it is urgent, then it is over, and who waited hears so.

When is in functions.sql (`ops.work_due`); each step is taken once. What the founder sees of it is the heartbeat's.
"""

from __future__ import annotations

from typing import Any

from hq.door.access import HOUSE
from hq.door.results import Row, row
from hq.door.tx import Tx
from hq.door.verb import Args, Ref, first, verb
from hq.errors import Refused
from hq.graph.stored import Stored
from hq.work.types import Approval


class Undecided(Args):
    """Which approval."""

    ref: Ref = first()
    """Its slug or id."""


@verb("approval.nudge", "write", for_=HOUSE, hidden=True, target="ref")
async def nudge(tx: Tx, args: Undecided) -> Row:
    """Remind the founder of an approval."""
    return await _step(tx, args, "nudged", {"nudged_at": tx.now})


@verb("approval.escalate", "write", for_=HOUSE, hidden=True, target="ref")
async def escalate(tx: Tx, args: Undecided) -> Row:
    """Tell the founder that an approval is urgent."""
    return await _step(tx, args, "escalated", {"nudged_at": tx.now, "escalated_at": tx.now})


@verb("approval.expire", "write", for_=HOUSE, hidden=True, target="ref")
async def expire(tx: Tx, args: Undecided) -> Row:
    """End an approval whose time is over; whoever waits for it goes on."""
    approval = await _undecided(tx, args)
    if approval.props.expires_at is None or approval.props.expires_at > tx.now:
        raise Refused.conflict(f"{approval.slug} can still be decided")
    return await _step(tx, args, "expired", {"status": "expired"})


async def _step(tx: Tx, args: Undecided, became: str, changes: dict[str, Any]) -> Row:
    approval = await _undecided(tx, args)
    asked = approval.props
    tx.target = approval = await tx.change(approval, changes)
    tx.emit(
        f"approval.{became}",
        id=str(approval.id),
        slug=approval.slug,
        verb=asked.verb,
        by=asked.requester,
        why=asked.why,
        hours=int((tx.now - approval.created_at).total_seconds() // 3600),
    )
    return row(approval)


async def _undecided(tx: Tx, args: Undecided) -> Stored[Approval]:
    approval = await tx.get(args.ref, Approval)
    if approval.props.status != "pending":
        raise Refused.conflict(f"{approval.slug} is already {approval.props.status}")
    return approval


VERBS = (nudge, escalate, expire)
