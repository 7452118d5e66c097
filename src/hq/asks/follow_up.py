"""Follow-ups: the call that an answer sets going. One that is refused, or lost with its process, leaves the ask open again."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from hq.asks.answer import WhichAsk, found
from hq.asks.kinds import kind_of
from hq.database.queries import beside
from hq.door.access import HOUSE, SESSION
from hq.door.results import Row, row
from hq.door.tx import Call, Tx
from hq.door.verb import verb
from hq.errors import Refused
from hq.graph.records import Stored
from hq.json_types import CallArgs

SQL = beside(__file__)
UNDER_WAY = timedelta(seconds=10)
FAILED = "did not work"
"""The fact of a card that says why what was pressed came to nothing."""


def follow_up(tx: Tx, ask: Stored[Any], key: str, verb: str, args: CallArgs, acts_as: str | None = None) -> Call:
    """A call by who answered, once, with the marks of what was asked. Where it is made in another's name, it is judged as
    that one's own call, with that one's rights alone."""
    return Call(
        verb,
        dict(args),
        tx.call.token,
        key=key,
        reason=f"{ask.type} {ask.slug}",
        actor=acts_as or tx.call.actor,
        parent_id=tx.action_id,
        taint=ask.taint,
        inside=acts_as is None,
        fallback=Call(reopen.name, {"ask": str(ask.id)}, tx.call.token, parent_id=tx.action_id, actor=tx.call.actor),
    )


async def was_made(tx: Tx, key: str) -> bool:
    """Whether the call of an answer was made, or is being made just now."""
    return await tx.the_scalar(SQL["made_under"], {"key": key}, of=bool)


async def was_lost(tx: Tx, ask: Stored[Any], key: str) -> bool:
    """Whether the call of an answer came to nothing: it was tried and refused, or its process is gone. While somebody else
    may be about to make it, it is not."""
    if await was_made(tx, key):
        return False
    _, at = ask.props.decision
    tried = await tx.the_scalar(SQL["tried"], {"action": ask.action_id}, of=bool)
    return tried or at is None or at <= tx.now - UNDER_WAY


@verb("ask.reopen", "write", for_=HOUSE, internal=True, target="ask", while_frozen=SESSION)
async def reopen(tx: Tx, args: WhichAsk) -> Row:
    """What an answer set going came to nothing: it can be answered again, everywhere."""
    ask = await found(tx, args.ask)
    tx.target = ask
    kind = kind_of(tx, ask)
    if ask.props.stands != "answered" or await was_made(tx, kind.key(ask)):
        raise Refused.conflict(f"{ask.slug} is {ask.status}, and what followed from it was done")
    props = {ask.props.by_field: None, ask.props.at_field: None} | (
        {"choice": None} if hasattr(ask.props, "choice") else {}
    )
    tx.target = ask = await tx.move(ask, ask.props.open_states()[0], **props)
    await tx.conn.execute(SQL["let_go_faces"], {"ask": ask.id})
    if tx.call.reason:
        await tx.conn.execute(SQL["tell_failed"], {"ask": ask.id, "name": FAILED, "why": tx.call.reason})
    tx.emit("ask.reopened", id=str(ask.id), slug=ask.slug, type=ask.type)
    return row(ask)


VERBS = (reopen,)
