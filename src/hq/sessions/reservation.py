"""A reservation: what a session's next model call may spend, set aside before, settled after; at a hard limit the
founder is asked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import structlog

from hq.door.door import Door
from hq.door.gate import DECIDED
from hq.door.outcome import Outcome
from hq.door.tx import Call
from hq.engine.sessions.leases import Claimed
from hq.engine.sessions.steps import SessionWait
from hq.errors import Outage
from hq.guard.budgets import CROWDED, BudgetReached, Budgets, Limit, Reserved, Spender
from hq.guard.estimate import estimated
from hq.json_types import CallArgs
from hq.minds.mind import MindRequest, Reply
from hq.minds.prices import cached_share
from hq.minds.service import Minds
from hq.sessions.session_host import OverBudget, Reservation

LOOK_AGAIN = timedelta(hours=1)
"""Whoever waits for a budget looks for itself at least this often."""
MORE = (*DECIDED, "budget.raised", "budget.set")
"""What may let somebody go on who stands at a limit."""
TRIES = 3
SHORTEST_ANSWER = 1_000
"""Tokens with which a step can still be taken: with fewer left, somebody is asked for more."""
log = structlog.get_logger("hq.spending")


class NoReservation:
    """Nothing is set aside: the script answers, which costs nothing. Its journal says what it answered."""

    def within(self, ask: MindRequest) -> MindRequest:
        return ask

    def weighed(self, reply: Reply) -> Reply:
        return reply

    async def settle(self, reply: Reply | None, error: Exception | None = None) -> None:
        return None


@dataclass
class BudgetReservation:
    """A reservation of a session, which also tells whom it concerns when a soft limit is reached."""

    spending: Spending
    claimed: Claimed
    reserved: Reserved

    def within(self, ask: MindRequest) -> MindRequest:
        granted = self.reserved.granted
        return replace(ask, max_tokens=granted) if granted and granted < self.reserved.estimate.tokens_out else ask

    def weighed(self, reply: Reply) -> Reply:
        return self.reserved.weighed(reply)

    async def settle(self, reply: Reply | None, error: Exception | None = None) -> None:
        try:
            await self.reserved.settle(reply, error)
        except Outage as outage:  # the answer is worth keeping; what it cost is counted as estimated by the sweep
            log.warning("call not settled", session=str(self.claimed.id), error=outage.message)
            return
        for limit in self.reserved.near:
            await self.spending.warn(self.claimed, limit)


class Spending:
    def __init__(self, door: Door, minds: Minds) -> None:
        self.door = door
        self.minds = minds
        self.budgets = Budgets(door.pool, door.clock)

    async def reserve(self, claimed: Claimed, ask: MindRequest) -> Reservation:
        """Set aside what the call may cost at most. Raises OverBudget with what lifts it."""
        chain = (await self.minds.company(claimed.tenant_id)).choice(ask.tier, ask.model).asked
        if all(mind.wire == "script" for mind in chain):
            return NoReservation()
        spender = Spender(
            claimed.tenant_id,
            claimed.agent,
            claimed.trigger.mission,
            claimed.id,
            claimed.task_id,
            claimed.holder,
            ask.purpose,
        )
        estimate = estimated(ask, chain)
        estimate = replace(estimate, share=cached_share(estimate.model), least=SHORTEST_ANSWER)
        for _ in range(TRIES):
            try:
                reserved = await self.budgets.reserve(spender, estimate)
            except BudgetReached as over:
                if (wait := await self._stopped(claimed, over)) is not None:
                    raise wait from over
                continue
            if reserved.agent_status == "frozen":
                await self._call(claimed, "budget.thaw", {"agent": claimed.agent})
            return BudgetReservation(self, claimed, reserved)
        raise self._crowded("the budget changed under way")

    async def warn(self, claimed: Claimed, limit: Limit) -> None:
        args = {
            **_key(limit),
            "began_at": limit.began_at.isoformat() if limit.began_at else None,
            "spent": float(limit.spent),
            "hard": float(limit.hard),
        }
        await self._call(claimed, "budget.warn", args)

    async def alarm(self, claimed: Claimed, what: str) -> None:
        """Too many turns on the strongest model: said once a day."""
        once = f"heavy:{claimed.agent}:{self.door.clock.now():%Y-%m-%d}"
        args = {"session": str(claimed.id), "kind": "budget", "summary": what, "once": once}
        await self._call(claimed, "incident.raise", args)

    async def _stopped(self, claimed: Claimed, over: BudgetReached) -> OverBudget | None:
        """How the session waits; nothing if the limit is out of the way by now."""
        if over.verdict == "busy":
            return self._crowded(over.why)
        limit = over.limit
        stopped = await self._call(
            claimed, "budget.exceed", {**_key(limit), "agent": claimed.agent, "asked": float(limit.asked)}
        )
        if not stopped.ok:
            return OverBudget(over.why, SessionWait(until=self._until(limit.turns_at)))
        if stopped.data["again"]:
            return None
        return await self._asked(claimed, over, stopped)

    async def _asked(self, claimed: Claimed, over: BudgetReached, stopped: Outcome) -> OverBudget | None:
        limit, since = over.limit, int(stopped.sequence or 0)
        lifted = f"budget:{limit.scope}/{limit.period}"
        soon = self._until(limit.turns_at)
        match stopped.data.get("decided"):
            case "pending":
                things = (f"approval:{stopped.data['approval']}", lifted)
                return OverBudget(over.why, SessionWait(things, MORE, since, soon))
            case "approved":  # and not carried out yet
                return OverBudget(over.why, SessionWait(until=self.door.clock.now() + timedelta(seconds=1)))
            case "rejected" | "cancelled" | "expired":
                if limit.turns_at is None:
                    return OverBudget(f"{over.why}; the founder said no")
                return OverBudget(over.why, SessionWait((lifted,), MORE, since, limit.turns_at))
        asked = await self._call(claimed, "budget.raise", stopped.data["raise_to"], reason=over.why)
        if asked.ok:  # a grant lets the agent do this without asking
            return None
        if (asked.error or {}).get("code") != "waiting":
            log.warning("could not ask for a budget", agent=claimed.agent, error=asked.error)
            return OverBudget(over.why, SessionWait((lifted,), MORE, since, soon))
        return OverBudget(
            over.why, SessionWait((asked.data["waits_for"], lifted), MORE, int(asked.sequence or 0), soon)
        )

    def _crowded(self, why: str) -> OverBudget:
        return OverBudget(why, SessionWait(until=self.door.clock.now() + CROWDED))

    def _until(self, turns_at: datetime | None) -> datetime:
        soon = self.door.clock.now() + LOOK_AGAIN
        return min(soon, turns_at) if turns_at else soon

    async def _call(self, claimed: Claimed, verb: str, args: CallArgs, reason: str = "") -> Outcome:
        call = Call(verb, args, claimed.token, reason=reason[:500], session_id=claimed.id, task_id=claimed.task_id)
        return await self.door.call(call)


def _key(limit: Limit) -> dict[str, str]:
    return {"scope": limit.scope, "period": limit.period, "measure": limit.measure}
