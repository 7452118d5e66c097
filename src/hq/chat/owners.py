"""Owners of conversations with the founder: to another's an agent belongs where it was called into it."""

from __future__ import annotations

from hq.chat.verbs import SQL
from hq.door.access import Owner
from hq.door.tx import Tx


async def owner_of_founders_conversation(tx: Tx, agent: str) -> Owner | None:
    """The session that was opened for the call."""
    called = await tx.scalar(SQL["called_in"], {"id": tx.call.session_id, "into": agent}, of=bool)
    mine = frozenset((tx.caller.speaks_as,)) if called else frozenset[str]()
    return Owner(agent, actors=mine, why="nobody has called you into that conversation", ask="founder")
