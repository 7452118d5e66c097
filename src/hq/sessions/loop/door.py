"""A session's door: its calls, each under a key of its own, so that one that was made is not made again after a crash."""

from __future__ import annotations

import json

from pydantic_ai.messages import ToolCallPart

from hq.door.door import Door
from hq.door.outcome import Outcome
from hq.door.tool_call import tool_call
from hq.door.tx import Call, Journalled
from hq.engine.sessions.journal import Fenced
from hq.engine.sessions.leases import Claimed
from hq.engine.sessions.steps import CallTold, VerbStep
from hq.errors import Outage, Refused
from hq.json_text import json_value
from hq.json_types import CallArgs
from hq.sessions.loop.record import SessionEnded, SessionRecord
from hq.sessions.loop.signals import SessionSignals
from hq.sessions.tool_offer import ToolOffer
from hq.sessions.transcript import DONE

LONGEST = 1_000_000
"""Characters of what a session leaves as its text."""
CUT = Refused.invalid(
    "not made: your answer was cut off in the middle of this call, for it was longer than one may be. Make it anew, shorter, or "
    "in several calls"
)
WHY = 300
"""Characters of what is said with a call that stand as its reason."""


class Paused(Exception):
    """Whom the session acts for is paused: the call was not made, and is made when the session goes on."""


class SessionDoor:
    def __init__(self, door: Door, claimed: Claimed, record: SessionRecord, signals: SessionSignals) -> None:
        self._door = door
        self._claimed = claimed
        self._record = record
        self._signals = signals
        self.offer = ToolOffer()
        """What the mind is shown, and all that it reaches."""

    async def do(
        self,
        verb: str,
        args: CallArgs,
        journal: Journalled | None = None,
        reason: str = "",
        at: str | None = None,
        key: str | None = None,
    ) -> Outcome:
        own = journal.tool_call if journal else key
        outcome = await self._door.call(
            Call(
                verb,
                args,
                self._claimed.token,
                key=f"session:{self._claimed.id}:{own}" if own else None,
                reason=reason,
                at=at,
                session_id=self._claimed.id,
                task_id=self._claimed.task_id,
                journal=journal,
                only=self.offer.reach if journal else None,
                taint=self._claimed.taint | self._record.talk.taint,
            )
        )
        if (outcome.error or {}).get("code") == "paused" and (not self._signals.stop or self._signals.interrupted):
            raise Paused((outcome.error or {})["message"])
        return outcome

    async def call(self, call: ToolCallPart) -> Outcome:
        """What the mind wants called. Its outcome is a step of the journal, in one transaction with what the call did."""
        step = self._record.journal.last + 1
        self._record.journal.has_mail = None  # a call takes its time
        where = Journalled(self._claimed.id, step, self._claimed.holder, call.tool_call_id)
        try:
            if call.tool_call_id == self._record.talk.cut:
                raise CUT
            meant = tool_call(self._door.registry, call.tool_name, arguments(call), self.offer.reach)
        except Refused as error:
            await self._record.write(VerbStep(call=call.tool_call_id, ok=False, error=error.as_dict()))
            return Outcome.failed(call.tool_name, error, self._claimed.task_id)
        outcome = await self.do(meant.verb, meant.args, where, meant.reason or self._words(), meant.at)
        payload = VerbStep(call=call.tool_call_id, verb=meant.verb, **result_of(outcome))
        if outcome.replayed and (outcome.error or {}).get("code") != "waiting":
            await self._record.write(payload)  # it was done before a crash, only not written down
        elif (outcome.error or {}).get("code") not in ("waiting", "fenced", "paused") and outcome.action_id is not None:
            self._record.written(payload, outcome.has_mail)
        return outcome

    async def settle(self, call: ToolCallPart) -> Outcome:
        """A call that waited, once more: under its own key it is not made again."""
        meant = tool_call(self._door.registry, call.tool_name, arguments(call))
        return await self.do(meant.verb, meant.args, reason=meant.reason, key=call.tool_call_id)

    def changes(self, outcome: Outcome) -> bool:
        """Whether something is other than it was by this; a program's own function is no verb of ours."""
        verb = self._door.registry.verbs.get(outcome.action)
        return outcome.ok and verb is not None and verb.changes

    def is_whole(self, outcome: Outcome) -> bool:
        """Whether nothing of it is left to do for who asked for it."""
        verb = self._door.registry.verbs.get(outcome.action)
        whole = verb.whole if verb else False
        return whole if isinstance(whole, bool) else bool((outcome.data or {}).get(whole))

    async def raise_incident(self, kind: str, why: str, key: str = "incident") -> None:
        args = {"session": str(self._claimed.id), "kind": kind, "summary": why[:300]}
        await self.do("incident.raise", args, key=key)

    async def finalise(self) -> Outcome:
        """What the next session needs is kept: a record, memories, a memo."""
        talk = self._record.talk
        args = {"session": str(self._claimed.id), "model": talk.model, **(talk.snapshot or {})}
        return await self.do("session.finalise", args, key="finalise")

    async def close(self, state: str, exit_code: int, why: str, *, timed_out: bool = False) -> SessionEnded:
        """Through the door, for others wait for this: the last step, the end and its event are one transaction."""
        talk = self._record.talk
        closed = await self.do(
            "session.close",
            {
                "session": str(self._claimed.id),
                "holder": self._claimed.holder,
                "step": self._record.journal.last + 1,
                "state": state,
                "exit_code": exit_code,
                "why": why[:2000],
                "text": talk.spoken[:LONGEST].replace("\0", ""),
                "turns": talk.answers,
                "timed_out": timed_out,
            },
            key="close",
        )
        if not closed.ok and closed.error:
            if closed.error["code"] == "fenced":
                raise Fenced
            raise Outage(closed.error["message"])
        return SessionEnded(state, exit_code, why)

    def _words(self) -> str:
        """What the mind said with its calls: why it makes them, where it does not say that by itself."""
        return " ".join(DONE.sub("", self._record.talk.said).split())[:WHY]


class StepOutcome(CallTold):
    """What a step says of what came back."""

    taint: list[str]


def result_of(outcome: Outcome) -> StepOutcome:
    if outcome.ok:
        return {"ok": True, "data": outcome.data, "taint": sorted(outcome.taint)}
    return {"ok": False, "error": outcome.error, "taint": sorted(outcome.taint)}


def arguments(call: ToolCallPart) -> CallArgs:
    """What a mind wants a tool to be called with; what cannot be read is refused with where it breaks off."""
    if not isinstance(call.args, str):
        return call.args or {}
    try:
        given = json_value(call.args or "{}")
    except ValueError as error:
        cut = isinstance(error, json.JSONDecodeError) and error.pos >= len(call.args.rstrip()) - 1
        cut = cut or "Unterminated" in str(error)
        hint = "they were cut off: send them whole, and shorter if they are long" if cut else "send one JSON object"
        raise Refused.invalid(f"the arguments of {call.tool_name} are no JSON ({error}); {hint}") from error
    if not isinstance(given, dict):
        sort = "a list" if isinstance(given, list) else f"{call.args[:40]}"
        raise Refused.invalid(f"the arguments of {call.tool_name} are {sort}, not a JSON object with its fields")
    return given
