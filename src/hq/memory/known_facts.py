"""Known facts: what the system itself knows to be so, such as a budget; one memory for each slot, kept up to date.

A newer value takes the older one's place without a question, since nothing contradicts anything: it was changed. What somebody
else said to the contrary is still asked about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hq.door.tx import Tx
from hq.graph.records import Stored
from hq.graph.view import NodeFilter
from hq.memory.similarity import clash, same_words
from hq.memory.types import OrgMemory
from hq.memory.verbs import ask_which_holds, near_to, reinforce, supersede


@dataclass(frozen=True)
class Held:
    """What holds of a slot now."""

    slot: str
    content: str
    tags: Sequence[str]
    gone: bool = False
    """It only says that something is no longer there, which is worth remembering where that was known."""


async def hold(tx: Tx, held: Held, action_id: str) -> bool:
    """Remember it. Says whether that was news."""
    known = await tx.find(NodeFilter(types=[OrgMemory.type], status="active", props={"slot_id": held.slot}, limit=1))
    if not known and held.gone:
        return False
    if known and same_words(known[0].props.content, held.content):
        await reinforce(tx, known[0])
        return False
    near = await near_to(tx, held.content)
    new = await _taken_over(tx, near, held) or await _created(tx, held, action_id)
    if known:
        await supersede(tx, known[0], new)
    for other, _ in near:
        if other.props.slot_id is None and clash(held.content, other.props.content):
            await ask_which_holds(tx, other, new)
    return True


async def _taken_over(tx: Tx, near: Sequence[tuple[Stored[OrgMemory], float]], held: Held) -> Stored[OrgMemory] | None:
    """What somebody said in the same words is not kept twice."""
    for other, _ in near:
        if other.props.slot_id is None and same_words(other.props.content, held.content):
            return await reinforce(tx, await tx.change(other, {"slot_id": held.slot}))
    return None


async def _created(tx: Tx, held: Held, action_id: str) -> Stored[OrgMemory]:
    memory = OrgMemory(
        category="fact",
        content=held.content,
        source="system",
        status="active",
        last_validated_at=tx.now,
        slot_id=held.slot,
        action_id=action_id,
    )
    return await tx.create(memory, tags=list(held.tags), confidence=1.0)
