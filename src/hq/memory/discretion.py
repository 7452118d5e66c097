"""Discretion: which questions of agents somebody above answers alone, by the risk table (seed 000 §B7), and what by.

What was decided before is only applied: that is as risky as what it lets happen. What nobody decided yet is decided for the founder:
that is at least as much as a step outside that can be taken back.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, ClassVar

from hq.asks.authority import is_founders
from hq.asks.kinds import AskAnswer, Kind
from hq.business.types import Decision
from hq.door.gate import by_table
from hq.door.tx import Tx
from hq.door.verb import Gate
from hq.errors import Refused
from hq.graph.records import Stored
from hq.memory.types import OrgMemory
from hq.memory.verbs import Category, MemoryAddArgs, MemoryRemembered, add_memory

UNDECIDED: Gate = "reversible"
"""The class of an answer that rests on nothing known, where its question is of no other."""
HOLD = {OrgMemory.type: "active", Decision.type: "accepted"}
"""What an answer may rest on, in the state in which it holds."""


def founder_decides(tx: Tx, risk: Gate, taint: Collection[str], *, known: bool = True) -> bool:
    """Whether the table leaves an answer by an agent to the founder; `known`: it rests on what was decided before."""
    gate = UNDECIDED if risk == "internal" and not known else risk
    return by_table(gate, tx.caller.risk_tolerance, taint) == "ask"


async def grounds(tx: Tx, refs: Sequence[str], asked_at: datetime) -> list[Stored]:
    """What an answer rests on: memories and decisions that held when it was asked, and that nobody outside wrote."""
    found: list[Stored] = []
    for ref in refs:
        node = await tx.get(ref)
        if node.type not in HOLD or node.status != HOLD[node.type]:
            state = f"{node.status} " if node.status else ""
            raise Refused.invalid(
                f"because: {node.slug} is a {state}{node.type}; an answer rests on an active memory or an accepted decision",
                hint="memory_search finds what was said or decided",
            )
        if node.created_at >= asked_at or node.taint:
            why = "came from outside" if node.taint else "is younger than the question"
            raise Refused.invalid(f"because: {node.slug} {why}, so nothing follows from it")
        found.append(node)
    return found


def word_on(question: str, words: str) -> str:
    """What is remembered of an answer."""
    return f"{question} → {words}"[:4000]


async def keep_word(tx: Tx, question: str, words: str, category: Category = "decision") -> MemoryRemembered:
    """What was answered, for the company: the question may come up again."""
    kept = {"content": word_on(question, words), "category": category}
    return await add_memory(tx, MemoryAddArgs.model_validate(kept))


class AtDiscretion(Kind):
    """What agents ask in words: answered by whom it was laid before, or carried by the CEO; by the risk table by the founder alone."""

    takes_text, carried, severity = True, True, "warning"
    way_up: ClassVar[str]
    """What somebody does who may not decide it."""

    def is_asked(self, ask: Stored[Any]) -> bool:
        """Whether somebody asks there, so that the table decides who may answer; what the house found has another to look at it."""
        return True

    async def is_with(self, tx: Tx, ask: Stored[Any]) -> bool:
        links = await tx.links(ask, edge="addressed_to")
        return ("agent", tx.caller.agent) in {(link.other_type, link.other_slug) for link in links}

    def for_founder(self, tx: Tx, ask: Stored[Any]) -> bool:
        return self.is_asked(ask) and founder_decides(tx, ask.props.risk, ask.taint)

    async def may_answer(self, tx: Tx, ask: Stored[Any]) -> bool:
        return await self.is_with(tx, ask) and not self.for_founder(tx, ask)

    async def why_not(self, tx: Tx, ask: Stored[Any]) -> str:
        if not await self.is_with(tx, ask):
            return await super().why_not(tx, ask)
        risk = ask.props.risk.replace("_", "-")
        return (
            f"{ask.slug} is about something {risk}, which a {tx.caller.risk_tolerance} founder decides; {self.way_up}"
        )

    async def rests_on(self, tx: Tx, ask: Stored[Any], answer: AskAnswer) -> list[str]:
        """What an agent's answer rests on, by slug; the founder's rests on itself. Refused where the founder would have to decide."""
        if is_founders(tx, answer) or not self.is_asked(ask):
            return []
        found = await grounds(tx, answer.terms.get("because") or [], ask.created_at)
        if founder_decides(tx, ask.props.risk, ask.taint, known=bool(found)):
            raise Refused.forbidden(
                f"nothing that was decided before answers this, and with a {tx.caller.risk_tolerance} founder that is not an "
                "agent's to decide",
                hint=f"name with `because` the memory or decision you go by (memory_search), or {self.way_up}",
                ask="founder",
            )
        return [node.slug for node in found]
