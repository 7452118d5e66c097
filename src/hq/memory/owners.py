"""Owners of memories: the agent that found it; and what nobody has looked at yet is the CEO's to look at."""

from __future__ import annotations

from hq.door.access import Owner
from hq.door.tx import Tx
from hq.memory.types import OrgMemory


async def owner_of_memory(tx: Tx, ref: str) -> Owner | None:
    memory = await tx.look_up(ref, OrgMemory)
    if memory is None:
        return None
    kind, _, agent = memory.props.source.partition(":")
    why = (
        f"{memory.slug} is not yours to put an end to;"
        " `hq memory add` says what you found, and what contradicts it is then asked about"
    )
    return Owner(memory.props.source, frozenset((agent,)) if kind == "agent" else frozenset(), why=why, ask="ceo")


async def owner_of_found_memory(tx: Tx, ref: str) -> Owner | None:
    """Nobody below the CEO, until it was taken over; whoever finds it then, makes it surer."""
    memory = await tx.look_up(ref, OrgMemory)
    if memory is None or memory.props.status == "active":
        return None
    why = "what was found is for the CEO to look at, or the founder; no other agent confirms it"
    return Owner("the CEO", why=why, ask="ceo")
