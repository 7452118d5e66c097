"""A session's calls through the door, each under its own key, and what it writes into its journal, to its end."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, replace
from datetime import datetime

from pydantic_ai.messages import ToolCallPart

from hq.door.outcome import Outcome
from hq.door.tool_call import tool_call
from hq.door.tx import Call, Journalled
from hq.engine.sessions.journal import Fenced, Journal
from hq.engine.sessions.leases import Claimed
from hq.engine.sessions.steps import SessionWait, StepPayload, VerbStep, WaitStep
from hq.errors import Outage, Refused
from hq.json_types import JsonObject
from hq.sessions import limits
from hq.sessions.config import AgentConfig
from hq.sessions.session_host import SOFT, SessionHost
from hq.sessions.tool_offer import ToolOffer
from hq.sessions.transcript import DONE, Transcript

LONGEST = 1_000_000
"""Characters of what a session leaves as its text."""
CUT = Refused.invalid(
    "not made: your answer was cut off in the middle of this call, for it was longer than one may be. Make it anew, shorter, or "
    "in several calls"
)
WHY = 300
"""Characters of what is said with a call that stand as its reason."""


@dataclass(frozen=True)
class SessionEnded:
    """How a session came to rest: waiting, or over with an exit code (0 done, 1 budget, 2 error, 3 stopped)."""

    state: str
    exit_code: int = 0
    why: str = ""


class Paused(Exception):
    """Whom the session acts for is paused: the call was not made, and is made when the session goes on."""


class JournalledSession:
    def __init__(self, company: SessionHost, claimed: Claimed, journal: Journal) -> None:
        self.company = company
        self.claimed = claimed
        self.journal = journal
        self.config: AgentConfig
        self.talk = Transcript()
        self.offer = ToolOffer()
        self.stop: str | None = claimed.stop
        self._thinking: asyncio.Timeout | None = None
        self.deadline: datetime | None = None
        """When it is stopped with what it has by then."""
        self.leave = False
        """Set to let the session be handed back at its next step."""
        self.rests = False
        """Set where whom it acts for was paused."""
        self.known = ""
        """How things stand, as the mind is told last."""
        self.known_at: datetime | None = None

    async def _write(self, payload: StepPayload) -> None:
        await self.journal.append(payload)
        self.talk.add(payload)

    async def _call(self, call: ToolCallPart) -> Outcome:
        step = self.journal.last + 1
        where = Journalled(self.claimed.id, step, self.claimed.holder, call.tool_call_id)
        try:
            if call.tool_call_id == self.talk.cut:
                raise CUT
            meant = tool_call(self.company.door.registry, call.tool_name, arguments(call), self.offer.reach)
        except Refused as error:
            await self._write(VerbStep(call=call.tool_call_id, ok=False, error=error.as_dict()))
            return Outcome.failed(call.tool_name, error, self.claimed.task_id)
        outcome = await self._do(meant.verb, meant.args, where, meant.reason or self._words(), meant.at)
        payload = VerbStep(call=call.tool_call_id, verb=meant.verb, **result_of(outcome))
        if outcome.replayed and (outcome.error or {}).get("code") != "waiting":
            await self._write(payload)  # it was done before a crash, only not written down
        elif (outcome.error or {}).get("code") not in ("waiting", "fenced", "paused") and outcome.action_id is not None:
            self.journal.last = step
            self.talk.add(payload)
        return outcome

    def _words(self) -> str:
        """What the mind said with its calls: why it makes them, where it does not say that by itself."""
        return " ".join(DONE.sub("", self.talk.said).split())[:WHY]

    async def _do(
        self,
        verb: str,
        args: JsonObject,
        journal: Journalled | None = None,
        reason: str = "",
        at: str | None = None,
        key: str | None = None,
    ) -> Outcome:
        own = journal.tool_call if journal else key
        outcome = await self.company.door.call(
            Call(
                verb,
                args,
                self.claimed.token,
                key=f"session:{self.claimed.id}:{own}" if own else None,
                reason=reason,
                at=at,
                session_id=self.claimed.id,
                task_id=self.claimed.task_id,
                journal=journal,
                only=self.offer.reach if journal else None,
                taint=self.claimed.taint | self.talk.taint,
            )
        )
        if (outcome.error or {}).get("code") == "paused" and self.stop in (None, SOFT):
            raise Paused((outcome.error or {})["message"])
        return outcome

    async def _wait(self, payload: WaitStep, wait: SessionWait) -> SessionEnded:
        deadline = None if limits.not_its_own(payload) else self.deadline
        wake_at = min((moment for moment in (wait.until, deadline) if moment), default=None)
        state = await self.journal.park(payload, replace(wait, until=wake_at))
        return SessionEnded("waiting") if state == "waiting" else SessionEnded("queued")

    async def _fail(self, kind: str, why: str) -> SessionEnded:
        """Raised once, as an incident; never tried for ever."""
        await self._raise(kind, why)
        return await self._close("failed", 2, why)

    async def _raise(self, kind: str, why: str, call: ToolCallPart | None = None) -> None:
        args = {"session": str(self.claimed.id), "kind": kind, "summary": why[:300]}
        await self._do("incident.raise", args, key=f"incident:{call.tool_call_id}" if call else "incident")

    async def _time_out(self) -> SessionEnded:
        return await self._close("stopped", 3, f"out of time after {self.claimed.trigger.timeout} s", timed_out=True)

    async def _close(self, state: str, exit_code: int, why: str, *, timed_out: bool = False) -> SessionEnded:
        """Through the door, for others wait for this: the last step, the end and its event are one transaction."""
        closed = await self._do(
            "session.close",
            {
                "session": str(self.claimed.id),
                "holder": self.claimed.holder,
                "step": self.journal.last + 1,
                "state": state,
                "exit_code": exit_code,
                "why": why[:2000],
                "text": self.talk.spoken[:LONGEST].replace("\0", ""),
                "turns": self.talk.turns,
                "timed_out": timed_out,
            },
            key="close",
        )
        if not closed.ok and closed.error:
            if closed.error["code"] == "fenced":
                raise Fenced
            raise Outage(closed.error["message"])
        return SessionEnded(state, exit_code, why)

    def _now(self) -> datetime:
        return self.company.door.clock.now()

    def _left(self) -> float | None:
        return (self.deadline - self._now()).total_seconds() if self.deadline else None


def result_of(outcome: Outcome) -> JsonObject:
    """What a step says of what came back."""
    came = {"data": outcome.data} if outcome.ok else {"error": outcome.error}
    return {"ok": outcome.ok, **came, "taint": sorted(outcome.taint)}


def arguments(call: ToolCallPart) -> JsonObject:
    """What a mind wants a tool to be called with; what cannot be read is refused with where it breaks off."""
    if not isinstance(call.args, str):
        return call.args or {}
    try:
        given = json.loads(call.args or "{}")
    except ValueError as error:
        cut = isinstance(error, json.JSONDecodeError) and error.pos >= len(call.args.rstrip()) - 1
        cut = cut or "Unterminated" in str(error)
        hint = "they were cut off: send them whole, and shorter if they are long" if cut else "send one JSON object"
        raise Refused.invalid(f"the arguments of {call.tool_name} are no JSON ({error}); {hint}") from error
    if not isinstance(given, dict):
        sort = "a list" if isinstance(given, list) else f"{call.args[:40]}"
        raise Refused.invalid(f"the arguments of {call.tool_name} are {sort}, not a JSON object with its fields")
    return given
