"""Owners of asks: who asked takes it back."""

from __future__ import annotations

from hq.asks.answer import found
from hq.asks.authority import check_seen
from hq.asks.types import Approval
from hq.database.queries import beside
from hq.door.access import Owner
from hq.door.tx import Tx
from hq.errors import Refused

SQL = beside(__file__)
WHY = "only who asked takes it back"


async def owner_of_asked(tx: Tx, ref: str) -> Owner | None:
    """Who asked: of an approval the very principal, whatever it is called."""
    try:
        ask = await found(tx, ref)
    except Refused:
        return None
    await check_seen(tx, ask)
    if isinstance(ask.props, Approval):
        mine = str(tx.caller.principal_id) == ask.props.requester_principal
        return Owner("who asked", actors=frozenset((tx.caller.speaks_as,)) if mine else frozenset(), why=WHY)
    asker = await tx.scalar(SQL["asked_by"], {"id": ask.id}, of=str)
    return Owner("who asked", actors=frozenset(filter(None, (asker,))), why=WHY)
