"""Discretion: which questions of agents somebody above answers alone, by the risk table (seed 000 §B7), and what by.

What was decided before is only applied: that is as risky as what it lets happen. What nobody decided yet is decided for the founder:
that is at least as much as a step outside that can be taken back.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from hq.business.types import Decision
from hq.door.gate import EXTERNAL, RISK
from hq.door.gate import Decision as GateDecision
from hq.door.tx import Tx
from hq.door.verb import Gate
from hq.errors import Refused
from hq.graph.records import Stored
from hq.memory.types import OrgMemory

UNDECIDED: Gate = "reversible"
"""The class of an answer that rests on nothing known, where its question is of no other."""
HOLD = {OrgMemory.type: "active", Decision.type: "accepted"}
"""What an answer may rest on, in the state in which it holds."""


def judged(tx: Tx, risk: Gate, taint: Collection[str], *, known: bool) -> GateDecision:
    """What the table says of an answer by an agent; `known`: it rests on what was decided before."""
    gate: str = UNDECIDED if risk == "internal" and not known else risk
    return RISK["untargeted" if gate in EXTERNAL and taint else gate][tx.caller.risk_tolerance]


def founder_decides(tx: Tx, risk: Gate, taint: Collection[str], *, known: bool = True) -> bool:
    return judged(tx, risk, taint, known=known) == "ask"


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


async def check_discretion(
    tx: Tx, risk: Gate, taint: Collection[str], refs: Sequence[str], asked_at: datetime, way_up: str
) -> list[str]:
    """What an agent's answer rests on, by slug. Refused where the founder would have to decide."""
    found = await grounds(tx, refs, asked_at)
    if founder_decides(tx, risk, taint, known=bool(found)):
        raise Refused.forbidden(
            f"nothing that was decided before answers this, and with a {tx.caller.risk_tolerance} founder that is not an agent's "
            "to decide",
            hint=f"name with `because` the memory or decision you go by (memory_search), or {way_up}",
            ask="founder",
        )
    return [node.slug for node in found]
