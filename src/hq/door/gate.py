"""The gate: whether a call may go ahead, tells the founder, or must wait, by the risk table of the design."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypedDict
from uuid import UUID

from hq.door.text import short_texts
from hq.door.tx import Tx
from hq.door.verb import Gate, Verb
from hq.errors import HqError
from hq.graph.records import Stored
from hq.json_types import CallResult

Decision = Literal["do", "tell", "ask"]
Tolerance = Literal["cautious", "balanced", "aggressive"]

# What a call needs when nothing more specific is granted (seed 000 §B7).
RISK: dict[str, dict[Tolerance, Decision]] = {
    "internal": {"cautious": "do", "balanced": "do", "aggressive": "do"},
    "reversible": {"cautious": "ask", "balanced": "tell", "aggressive": "do"},
    "irreversible": {"cautious": "ask", "balanced": "ask", "aggressive": "tell"},
    "untargeted": {"cautious": "ask", "balanced": "ask", "aggressive": "ask"},
    "spend": {"cautious": "tell", "balanced": "do", "aggressive": "do"},
    "overspend": {"cautious": "ask", "balanced": "ask", "aggressive": "tell"},
    "staffing": {"cautious": "ask", "balanced": "ask", "aggressive": "tell"},
    "destructive": {"cautious": "ask", "balanced": "ask", "aggressive": "ask"},
    "cross_scope": {"cautious": "ask", "balanced": "ask", "aggressive": "ask"},
    "system": {"cautious": "ask", "balanced": "ask", "aggressive": "ask"},
}
STRICTNESS: dict[Decision, int] = {"do": 0, "tell": 1, "ask": 2}
EXTERNAL: tuple[Gate, ...] = ("reversible", "irreversible")
DECIDED = ("approval.done", "approval.failed", "approval.rejected")
"""The events after which a call that waited for a yes has its answer. A yes alone is none: the call is still to be made."""


@dataclass(frozen=True)
class GateVerdict:
    decision: Decision
    gate: str
    why: str = ""
    grant: Stored[Any] | None = None
    """The grant that lets it through, to be used once it is clear that the call is made."""


@dataclass(frozen=True)
class WaitResult:
    """What became of a parked call: still waiting, done with a result, or refused."""

    status: Literal["waiting", "ok", "refused"]
    output: CallResult | None = None
    why: str = ""


class ParkedCall(TypedDict):
    """What a call is answered with that waits for a yes."""

    approval: str
    id: str
    waits_for: str
    waits_on: list[str]
    expires_at: str


class Policy(Protocol):
    """A rule a room hands to the door. It may refuse by raising, raise the gate class, or say nothing."""

    async def judge(self, tx: Tx, verb: Verb, args: Any) -> str | None: ...


class RiskPolicy:
    """A policy that only says how risky a call is. People decide for themselves and looking is none, so of these nobody asks it."""

    async def judge(self, tx: Tx, verb: Verb, args: Any) -> str | None:
        raise NotImplementedError


class AskDesk(Protocol):
    """Where calls wait for a yes, and where earlier yeses are kept."""

    async def granted(self, tx: Tx, verb: Verb, args: Any) -> Stored[Any] | None: ...

    async def use(self, tx: Tx, grant: Stored[Any]) -> None: ...

    async def park(self, tx: Tx, verb: Verb, args: Any, verdict: GateVerdict) -> ParkedCall: ...

    async def became(self, tx: Tx, asked: UUID) -> WaitResult: ...

    async def may_resume(self, tx: Tx, verb: Verb, args: Any) -> None: ...

    async def resumed(self, tx: Tx) -> None: ...

    async def gave_up(self, tx: Tx, approval: UUID, error: HqError) -> None: ...


def on_grounds(gate: str, taint: Collection[str]) -> str:
    """The class that counts on such grounds: an outside effect on tainted ones is untargeted."""
    return "untargeted" if taint and gate in EXTERNAL else gate


def by_table(gate: str, tolerance: Tolerance, taint: Collection[str] = ()) -> Decision:
    """What the risk table says of a class on such grounds."""
    return RISK[on_grounds(gate, taint)][tolerance]


def gate_class(verb: Verb, tx: Tx, raised: list[str]) -> str:
    """The strictest class that applies."""
    classes = [verb.gate, *raised]
    counted = [*classes, *(on_grounds(each, tx.taint) for each in classes)]
    return max(counted, key=lambda c: sum(STRICTNESS[decision] for decision in RISK[c].values()))


async def judge(tx: Tx, verb: Verb, args: Any, policies: list[Policy], desk: AskDesk | None) -> GateVerdict:
    """People decide for themselves; everyone else by the table, unless a grant says otherwise."""
    free = not verb.changes or tx.caller.human
    asked = [policy for policy in policies if not (free and isinstance(policy, RiskPolicy))]
    raised = [found for policy in asked if (found := await policy.judge(tx, verb, args))]
    if free:
        return GateVerdict("do", verb.gate)
    if verb.gate in EXTERNAL:  # what the call names is what it is made of: its marks count
        await tx.named(short_texts(args.model_dump(mode="json")))
    gate = gate_class(verb, tx, raised)
    decision = by_table(gate, tx.caller.risk_tolerance)
    if decision == "ask" and desk and (grant := await desk.granted(tx, verb, args)):
        return GateVerdict("tell", gate, f"granted by {grant.slug}", grant)
    why = f"{gate.replace('_', '-')} calls by {tx.caller.actor} are asked about"
    return GateVerdict(decision, gate, "; ".join((*(f"it asks {each}" for each in tx.asks), why)), tx.granted)
