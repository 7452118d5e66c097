"""Withdrawal: an ask ends without an answer, taken back by who asked, or because nobody needs the answer any more."""

from __future__ import annotations

from typing import Any

from hq.asks.kinds import kind_of
from hq.asks.types import Approval, Ask
from hq.door.tx import Tx
from hq.errors import Refused
from hq.graph.records import Stored
from hq.json_types import Props


async def withdraw(tx: Tx, ask: Stored[Any], why: str) -> Stored[Any]:
    """Take an ask back, with why. Whoever waits for it goes on."""
    return await _end(tx, ask, ask.props.withdrawn, why)


async def expire(tx: Tx, ask: Stored[Any], why: str) -> Stored[Any]:
    """The time of an ask is over."""
    if ask.props.expired is None:
        raise Refused.conflict(f"{ask.slug} does not expire; it moves on")
    return await _end(tx, ask, ask.props.expired, why)


async def _end(tx: Tx, ask: Stored[Any], word: str, why: str) -> Stored[Any]:
    props: Ask = ask.props
    if props.stands != "open":
        raise Refused.conflict(f"{ask.slug} is already {ask.status}")
    changes: Props = {}
    if props.at_field in ("resolved_at", "answered_at"):
        changes[props.at_field] = tx.now
    if "note" in type(props).model_fields:
        changes["note"] = why
    tx.target = ended = await tx.move(ask, word, **changes)
    about = {"verb": props.verb, "by": props.requester} if isinstance(props, Approval) else {}
    hours = int((tx.now - ask.created_at).total_seconds() // 3600)
    tx.emit(f"{ask.type}.{word}", id=str(ask.id), slug=ask.slug, why=why, hours=hours, **about)
    await kind_of(tx, ask).withdrawn(tx, ended, why)
    return ended
