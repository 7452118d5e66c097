"""Risk of spending: beyond what a seat may spend by itself, it is asked about (seed 003 §8.2)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from hq.door.gate import RiskPolicy
from hq.door.tx import Tx
from hq.door.verb import Verb
from hq.org.authority import SQL, sitting

ASK = "cross_scope"


class SpendingRisk(RiskPolicy):
    """Beyond its own authority a seat has to ask, whatever the company's tolerance; without a seat,
    always."""

    async def judge(self, tx: Tx, verb: Verb, args: Any) -> str | None:
        if verb.gate != "spend":
            return None
        seat = next(iter(await sitting(tx)), None)
        amount, currency = getattr(args, "amount", None), getattr(args, "currency", None)
        if seat is None or amount is None or currency != seat.limits.currency:
            return ASK
        if seat.limits.spend_per_transaction is None or amount > seat.limits.spend_per_transaction:
            return ASK
        if seat.limits.spend_per_session is None:
            return None
        spent = await tx.the_scalar(
            SQL["spent"],
            {
                "principal": tx.caller.principal_id,
                "session": tx.call.session_id,
                "today": tx.now.replace(hour=0, minute=0, second=0, microsecond=0),
                "verbs": [each.name for each in tx.door.registry if each.gate == "spend"],
                "currency": currency,
            },
            of=Decimal,
        )
        return ASK if float(spent) + amount > seat.limits.spend_per_session else None
