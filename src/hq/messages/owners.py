"""Owners of messages: who takes part in the conversation reads it, and whom one is for answers it."""

from __future__ import annotations

from hq.database.queries import beside
from hq.door.access import Owner
from hq.door.tx import Tx
from hq.errors import Refused
from hq.ids import is_id, parse_id
from hq.messages import addresses
from hq.messages.rows import ConversationMessageRow, MessageRow
from hq.org.ceo_agent import ceo

SQL = beside(__file__)


async def owner_of_conversation(tx: Tx, message: str) -> Owner | None:
    """Whoever wrote or got something in it."""
    found = await tx.one(SQL["message"], {"id": parse_id(message)}, into=MessageRow) if is_id(message) else None
    if found is None:
        return None
    rows = await tx.rows(SQL["conversation"], {"thread": found.thread_id, "limit": 200}, into=ConversationMessageRow)
    names = frozenset(filter(None, (name for row in rows for name in (row.sender, row.recipient))))
    return Owner("another", actors=names, why=_why(message))


async def owner_of_message(tx: Tx, message: str) -> Owner | None:
    """Whom it is for."""
    found = await tx.one(SQL["message"], {"id": parse_id(message)}, into=MessageRow) if is_id(message) else None
    if found is None:
        return None
    return Owner("another", actors=frozenset(filter(None, (found.recipient,))), why=_why(message))


async def owner_of_addressee(tx: Tx, address: str) -> Owner | None:
    """The agent that an address leads to: whoever is above it interrupts it."""
    try:
        to = await addresses.one(tx, address, await addresses.own_place(tx))
    except Refused:
        return None
    if to.agent is None:
        return None
    why = f'only who is above {to.agent} interrupts it; `hq agent ask {to.agent} "…"` asks instead'
    return Owner(to.agent, frozenset((to.agent,)), why=why, ask="ceo")


async def owner_of_service_addressee(tx: Tx, address: str) -> Owner | None:
    """A service speaks to who leads; to another agent only where its token names that. To everybody else that says nothing."""
    if tx.caller.agent is not None or not tx.caller.scopes.isdisjoint(("agent.send", "write:agent")):
        return None
    try:
        to = await addresses.one(tx, address, await addresses.own_place(tx))
    except Refused:
        return None
    if to.agent is None or to.agent == await ceo(tx):
        return None
    why = f"a service speaks to the CEO; to {to.agent} where its token names `agent.send`"
    return Owner(to.agent, why=why, ask="ceo")


def _why(message: str) -> str:
    return f"there is no message {message!r} for you; `hq agent inbox` shows yours"
