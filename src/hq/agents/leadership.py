"""Leadership: whose sessions and whose rest an agent decides about. Its own, its reports', and the operator everybody's."""

from __future__ import annotations

from hq.database.queries import beside
from hq.door.tx import Tx
from hq.errors import Refused

SQL = beside(__file__)


async def check_leads(tx: Tx, agent: str, what: str, *, own: bool = False) -> None:
    """Refuses who may not do this to an agent. `own` where an agent may do it to itself too."""
    if tx.caller.human or tx.caller.house:
        return
    caller = tx.caller.agent
    if caller == agent:
        if own:
            return
        raise Refused.forbidden(f"{agent} does not decide that about itself; the founder does, or who leads it")
    if caller is None or not (await tx.one(SQL["leads"], {"agent": caller, "other": agent})).leads:
        raise Refused(
            f"{agent} is not led by {tx.caller.actor}; only the founder, the operator or who leads {agent} may {what}",
            code="cross_scope_violation",
            hint='`hq agent send operator "…"`: say what you saw and what should happen',
            ask="operator",
        )
