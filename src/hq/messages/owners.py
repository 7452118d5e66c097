"""Owners of messages: who takes part in the conversation reads it, whom one is for answers it, and who writes to whom."""

from __future__ import annotations

from hq.database.queries import beside
from hq.door.access import Owner
from hq.door.tx import Tx
from hq.errors import Refused
from hq.ids import is_id, parse_id
from hq.messages import addresses
from hq.messages.addresses import FOUNDER, AgentAddress, To
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
    return Owner("another", actors=names, absent=absent(message))


async def owner_of_message(tx: Tx, message: str) -> Owner | None:
    """Whom it is for."""
    found = await tx.one(SQL["message"], {"id": parse_id(message)}, into=MessageRow) if is_id(message) else None
    if found is None:
        return None
    return Owner("another", actors=frozenset(filter(None, (found.recipient,))), absent=absent(message))


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


async def owner_of_addressee_from_outside(tx: Tx, address: str | None) -> Owner | None:
    """A service, and a program that is none of the company's agents, speaks to who leads; to others only where its token names
    that. To everybody else that says nothing."""
    if not _from_outside(tx):
        return None
    try:
        to = await addresses.one(tx, address, await addresses.own_place(tx)) if address else None
    except Refused:
        return None
    if to is None or to.agent == await ceo(tx):
        return None
    return _outside(tx, to.agent or address or "")


def _from_outside(tx: Tx) -> bool:
    verb = tx.door.registry.get(tx.call.verb)
    return (tx.caller.agent is None or tx.caller.off_record) and not tx.caller.names(verb)


def _outside(tx: Tx, whom: str) -> Owner:
    what = "a service" if tx.caller.agent is None else "a program that is no agent of the company"
    return Owner(whom, why=f"{what} speaks to the CEO; to {whom} where its token names `{tx.call.verb}`", ask="ceo")


async def owner_of_recipient(tx: Tx, address: str) -> Owner | None:
    """To the founder speaks the CEO, and others upward, which may end there. Organisations are apart; what one says to
    another the founder has allowed."""
    if (me := await addresses.own_place(tx)) is None:
        return None
    try:
        to = await addresses.one(tx, address, me)
    except Refused:
        return None
    if address == FOUNDER:
        voice = frozenset((me.agent,)) if me.serves_all else frozenset[str]()
        why = "the CEO speaks to the founder; `manager` and `escalation` are the ways up"
        return Owner("the founder", voice, why=why, ask="manager")
    return await _apart(tx, to, me)


async def owner_of_group(tx: Tx, group: str) -> Owner | None:
    """The first in it to whom one may not write."""
    if _from_outside(tx):
        return _outside(tx, group)
    if (me := await addresses.own_place(tx)) is None:
        return None
    try:
        everybody = await addresses.group(tx, group, me)
    except Refused:
        return None
    for to in everybody:
        if owner := await _apart(tx, to, me):
            return owner
    return None


async def _apart(tx: Tx, to: To, me: AgentAddress) -> Owner | None:
    if to.agent is None or not me.kept_to or not to.organisation or me.kept_to == to.organisation:
        return None
    there = await addresses.place_of(tx, to.agent)
    if there is not None and there.kept_to is None:
        return None
    wanted = {"actor": f"agent:{me.agent}", "agent": to.agent, "organisation": to.organisation, "now": tx.now}
    if await tx.scalar(SQL["granted"], wanted, of=int) is not None:
        return None
    why = f"{to.agent} works in another organisation; `manager` or `escalation` reach who may speak for yours"
    return Owner(to.agent, frozenset((to.agent,)), why=why, ask="manager")


def absent(message: str) -> Refused:
    """What is said of a message that is not there, or is for others."""
    return Refused.not_found(f"there is no message {message!r} for you", hint="`hq agent inbox` shows yours")
