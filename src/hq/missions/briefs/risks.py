"""Step 7 of a brief: what the risk table asks for, here and now."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from hq.database.queries import beside
from hq.door.gate import by_table
from hq.door.tx import Tx
from hq.graph.records import Stored
from hq.missions.types import Mission

SQL = beside(__file__)
SMALL = 0.1
"""The share of what is left today up to which spending is no question."""
WORDS = {"do": "do it", "tell": "do it and tell the founder", "ask": "ask the founder first"}
ACTS = (
    ("work in its own workspace", "internal"),
    ("draft something for the outside", "reversible"),
    ("send something that cannot be taken back", "irreversible"),
    ("act on what came from outside", "untargeted"),
    ("hire, or exceed a delegation budget", "staffing"),
    ("delete, or change how the system works", "destructive"),
)


@dataclass(frozen=True)
class RiskAnswer:
    what: str
    gate: str
    decision: str

    def told(self) -> dict[str, str]:
        return {"what": self.what, "class": self.gate, "decision": WORDS[self.decision]}


async def risks(tx: Tx, mission: Stored[Mission]) -> list[RiskAnswer]:
    """What may be done at once and what needs the founder's word, by the company's tolerance."""
    tolerance = tx.caller.risk_tolerance
    giving = await assigning(tx, mission)
    acts = [("give the mission out", giving), *ACTS]
    return [RiskAnswer(what, gate, by_table(gate, tolerance)) for what, gate in acts]


async def assigning(tx: Tx, mission: Stored[Mission]) -> str:
    """The class of giving a mission out: what it may cost is spending, and much of it more than that."""
    limit = mission.props.cost_limit
    if not limit:
        return "internal"
    left = await tx.scalar(SQL["left_today"], {"now": tx.now}, of=Decimal)
    return "spend" if left is None or limit <= SMALL * float(left) else "overspend"
