"""The kind of a session: how one begins, what it hears, how its mind is asked, and how it rests and ends.

What stands here holds for an agent at a task: it works until its mind says that the task is complete, leaves a record, its memories
and a memo, and is closed. A worker, a conversation and a completion say what is different for them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from pydantic_ai.messages import ToolCallPart

from hq.asks.asked_text import doing
from hq.context import inbound_format
from hq.engine.sessions.journal import JournalStep
from hq.engine.sessions.steps import (
    NudgeNote,
    OpenStep,
    SessionWait,
    SetbackNote,
    SettledNote,
    SnapshotNote,
    SummaryNote,
    VerbStep,
    WaitStep,
    WakeStep,
)
from hq.engine.tenancy import inside
from hq.errors import HqError, Outage, Refused
from hq.minds.mind import HistoryRefused, MindBusy, MindDeclined, MindRequest, MindSilent, OnText, Reply
from hq.minds.policy import TierDecision
from hq.minds.prompt_data import SO_FAR
from hq.minds.tokens import estimate
from hq.sessions import closing_snapshot, limits
from hq.sessions.config import AgentConfig
from hq.sessions.loop.door import result_of
from hq.sessions.loop.parts import SessionParts
from hq.sessions.loop.record import SessionEnded
from hq.sessions.message_words import sent_texts
from hq.sessions.mind_call import text_of, user_message
from hq.sessions.session_host import HANDOVER, INTERRUPT, OverBudget
from hq.sessions.transcript import DONE, NO_MEMORIES, Transcript
from hq.sessions.waits import awaited, resting, together
from hq.sessions.work_hook import OpenWork

FULL = 0.75
SETBACKS = 8
"""How often in a row an answer may break off, each wait twice as long as the one before. A provider that is away does not count."""
MINDS, ANSWERS = ("mind:company",), ("mind.retried", "mind.set", "mind.stood_in")
"""What who waits for a mind listens to, beside the time."""
INTERRUPTED = Refused(
    "not gone on with: somebody interrupts you. Read the message first, then decide; look before you repeat it",
    code="interrupted",
)
NUDGE = (
    'You neither called a tool nor said that you are done. Go on, or end with <task-complete reason="..."/> on a line '
    "of its own."
)
NUDGE_ON_MISSION = (
    "You called no tool. While your mission is open, go on and hand it in (mission_submit); where you cannot, say so with "
    'escalation_raise. Only then end with <task-complete reason="..."/> on a line of its own.'
)
NUDGE_OPEN = (
    "Your mission is open: it is done when what it has to bring was handed in (mission_submit) and found, not when you say so. Go on; "
    "where you cannot, say so with escalation_raise."
)
NUDGE_ASKED = (
    "You called no tool. What you asked still waits for an answer: {asks}. The answer wakes you. Go on with what does not depend "
    'on it; where nothing does, end with <task-complete reason="waits for an answer"/> on a line of its own.'
)
SUMMARISE = (
    "Sum up the whole conversation for yourself, for {why}. What you write takes the place of all that was called and came back, and of "
    "what was said long ago; the newest words stay, and more of the founder's. So: who asked for what, what was answered, decided and promised, what you did "
    "and found, with its names, slugs and numbers, and what is still open. Write only that, and call no tool."
)
WORDS = "That was a call, and none can be made now. Write the text that was asked for."
NOT_SUMMED_UP = "(No summary could be written of it.) Changed since somebody spoke last: {done}. Look at what you need before you go on."
REFUSED = (
    "(What was called until here, and what came back, could not be kept.) Changed since somebody spoke last: {done}. Look at what you "
    "need before you go on."
)
ROOM = 10_000
"""Tokens of what was said last that stay beside a summary, and half as many of what the founder said before; less where the context
has not eight times as many."""
SHARE = 3
"""What a run may use is three times as much: with half of it kept, calls are left before it is used again."""


class SessionKind:
    has_brief = True
    """What it was opened with is what it works on, to its end."""

    def __init__(self, parts: SessionParts) -> None:
        self.host = parts.host
        self.claimed = parts.claimed
        self.record, self.door, self.mind, self.signals = parts.record, parts.door, parts.mind, parts.signals

    @property
    def talk(self) -> Transcript:
        return self.record.talk

    def now(self) -> datetime:
        return self.host.door.clock.now()

    # ---- beginning

    async def open(self) -> OpenStep:
        told = await self.mind.introduce(await self.host.config(self.claimed), begins=True)
        return OpenStep(config=self.mind.config.as_json(), prompt=told.data["opening"], taint=sorted(told.taint))

    async def resume(self, kept: AgentConfig) -> AgentConfig:
        """What governs it after a rest: what did when it began."""
        return kept

    async def begun(self, steps: Sequence[JournalStep]) -> None:
        """It is open, and what was done before is known: nothing where it begins now."""
        self.signals.deadline = limits.worker_deadline(self.claimed.trigger, steps, self.now())
        for id, waited in list(self.talk.unsettled.items()):
            outcome = await self.door.settle(waited.call)
            code = (outcome.error or {}).get("code")
            if code == "waiting":
                self.talk.unsettled[id] = replace(waited, wait=awaited(outcome))
            elif code != "outage":
                again = self.talk.took_back(waited) or (outcome.ok and self.talk.called_again(waited))
                await self.record.write(SettledNote(settled=id, repeated=again, **result_of(outcome)))
        if self.talk.pending:  # it lay down for what a call comes to: what was said meanwhile does not wait for that
            await self.hear()

    async def hear(self) -> None:
        """Take up what was said meanwhile, to this session or to its agent."""
        if (said := await self.record.journal.hear(inbound_format.message_prompt)) is not None:
            self.talk.add(said)
            self.signals.heard()

    # ---- how its mind is asked

    async def look_around(self) -> None:
        """How things stand is told to the mind that is asked next."""
        await self.mind.know()

    async def ask(self, messages: Any, on_text: OnText | None = None) -> tuple[Reply, TierDecision]:
        chosen = await self.tier()
        return await self.mind.answer(self.request(messages), chosen, on_text), chosen

    def request(self, messages: Any) -> MindRequest:
        return self.mind.request(messages, self.claimed.trigger_kind)

    async def tier(self) -> TierDecision:
        return await self.host.tier(self.claimed, self.mind.config)

    def listener(self) -> OnText | None:
        """Who hears what the mind says while it says it."""
        return None

    async def words(self, talk: Transcript, wanted: str) -> str:
        """What it says to that, in words; nothing where it only wants to call."""
        messages = [*talk.next_messages(), *user_message(wanted)]
        ask = replace(self.request(messages), words=True)
        chosen = await self.tier()
        reply = await self.mind.answer(ask, chosen)
        if not text_of(reply).strip():
            settings = {**ask.settings, "tool_choice": "none"}
            again = replace(ask, messages=[*messages, *user_message(WORDS)], settings=settings)
            reply = await self.mind.answer(again, chosen)
        return DONE.sub("", text_of(reply)).strip()

    def is_full(self) -> bool:
        """It goes on from a summary."""
        return bool(self.fullness())

    def fullness(self) -> str:
        """Why its mind has too much to read; nothing where it has not."""
        most = self.mind.config.context_window
        return f"its {self.talk.tokens:,} tokens nearly fill the context" if self.talk.tokens > FULL * most else ""

    async def sum_up(self) -> SummaryNote:
        """Everything so far, by its mind. Where no summary comes, the last one stays with what is known to be done, and the next time it is
        due all of this is summed up that was not."""
        for talk in await self._whole():
            try:
                if text := await self.words(talk, SUMMARISE.format(why=self.fullness())):
                    return self._note(text, self.carried())
            except (HistoryRefused, MindDeclined):
                continue
        text = NOT_SUMMED_UP.format(done=await self.done_by_then() or "nothing")
        return self._note(text, self.carried(failed=True), failed=True)

    async def _whole(self) -> Sequence[Transcript]:
        """What is to be summed up: where that failed before, first with what was left out since, as far as that can be read."""
        if not self.talk.unsummed:
            return [self.talk]
        steps = await self.record.journal.read()
        whole = Transcript.of(
            step for step in steps if not (isinstance(step.payload, SummaryNote) and step.payload.failed)
        )
        size = sum(estimate("".join(sent_texts(message))) for message in whole.next_messages())
        return [whole, self.talk] if size < FULL * self.mind.config.context_window else [self.talk]

    async def in_words_alone(self, refused: HistoryRefused) -> SummaryNote | None:
        """How it goes on where its provider takes what was said so far no more: from the words alone."""
        text = REFUSED.format(done=await self.done_by_then() or "nothing")
        return self._note(text, self.carried(refused.message), failed=True)

    def _note(self, text: str, carried: str | None, *, failed: bool = False) -> SummaryNote:
        """In a conversation as in work: what of the words stays is bounded by what the context and a run have room for."""
        config = self.mind.config
        room = min(ROOM, config.context_window // 8, (config.tokens_per_run or config.context_window) // SHARE)
        words = min(ROOM, config.context_window // 8) if failed else room // 2
        summary = text if failed and self.talk.summed_up else f"{SO_FAR}\n{text}"
        return SummaryNote(
            summary=summary, room=room, words=words, brief=self.has_brief, failed=failed, carried=carried
        )

    def carried(self, refused: str = "", *, failed: bool = False) -> str | None:
        """What whoever listens is told of that."""
        return None

    async def done_by_then(self) -> str:
        """What was changed since somebody spoke last, in few words."""
        done: list[str] = []
        for step in await self.record.journal.read():
            match step.payload:
                case OpenStep() | WakeStep():
                    done = []
                case VerbStep(ok=True, verb=str(name), data=data) if self.host.door.registry.get(name).changes:
                    named = data.get("slug") if isinstance(data, dict) else None
                    done.append(" ".join(filter(None, (doing(name), named))))
                case _:
                    pass
        return ", ".join(dict.fromkeys(done))

    async def finished(self) -> SessionEnded | None:
        """What it was opened for is over, or its last word called nothing: it is done, or it has to be told once to say so."""
        if self.talk.ended and self.talk.ended[0] == self.claimed.trigger.mission:
            return await self._leave(
                {"summary": self.talk.spoken or self.talk.ended[1], "nothing_learned": True}, self.talk.ended[1]
            )
        if self.talk.unsettled and (self.talk.answered or self.talk.complete):
            spoken = DONE.sub("", self.talk.said).strip()
            return await self.record.park(*resting(self.talk, spoken=spoken))  # spoken to meanwhile, it waits on
        if (done := self.talk.complete) is not None:
            if not self.talk.reminded and await self._leaves_work():
                await self.record.write(NudgeNote(nudge=NUDGE_OPEN, of_work=True))
                return None
            return await self.complete(done)
        if not self.talk.answered:
            return None
        asks = ", ".join(await self._asked()) if self.claimed.trigger.mission else ""
        if not self.talk.nudged:
            on_mission = NUDGE_ASKED.format(asks=asks) if asks else NUDGE_ON_MISSION
            await self.record.write(NudgeNote(nudge=on_mission if self.claimed.trigger.mission else NUDGE))
            return None
        if asks:
            left: closing_snapshot.ClosingSnapshot = {"summary": self.talk.spoken, "nothing_learned": True}
            return await self._leave(left, f"waits for an answer to {asks}")
        return await self.fail("stop_integrity", "ended without saying that the task is complete")

    async def _leaves_work(self) -> bool:
        """Whether what it was opened for is still its agent's to do, and nobody is asked about it: its word does not end that."""
        if self.claimed.trigger_kind != "mission" or not (mission := self.claimed.trigger.mission):
            return False
        async with inside(self.host.door.pool, self.claimed.tenant_id) as reader:
            left = await self.host.door.services[OpenWork].left(reader, mission, self.claimed.agent)
        return left and not await self._asked()

    async def _asked(self) -> list[str]:
        """What its agent asked and nobody has answered yet."""
        waiting = await self.door.do("ask.list", {"to": "all", "limit": 50})
        return (
            [each["slug"] for each in waiting.data["items"] if each["from"] == self.claimed.actor] if waiting.ok else []
        )

    # ---- its calls

    def makes(self, call: ToolCallPart) -> bool:
        """Whether this is called here."""
        return True

    def talks_on(self, things: Sequence[str]) -> bool:
        """Whether it goes on although a call waits for these: when it was spoken to meanwhile."""
        return self.talk.spoken_to

    async def calls_made(self) -> SessionEnded | None:
        return None

    async def drop_calls(self, why: Refused) -> None:
        """What the mind wanted to do is left undone: somebody interrupts, or its time is up."""
        for call in list(self.talk.pending):
            await self.record.write(VerbStep(call=call.tool_call_id, ok=False, error=why.as_dict()))

    # ---- rest

    async def wait(self, payload: WaitStep, wait: SessionWait) -> SessionEnded:
        deadline = None if limits.not_its_own(payload) else self.signals.deadline
        if payload.call:  # and for what still waits of before it was spoken to
            wait = together([wait, *(each.wait for each in self.talk.unsettled.values())])
        return await self.record.park(payload, wait, deadline)

    async def set_back(self, down: Outage) -> SessionEnded | None:
        """Nobody answered, or nothing came of a call: later, and not for ever."""
        if self.talk.setbacks + 1 >= SETBACKS:
            return await self.break_off("error_rate", f"{down.message}, {SETBACKS} times in a row")
        await self.record.write(SetbackNote(setback=down.message))
        soon = self.now() + timedelta(seconds=2**self.talk.setbacks)
        return await self.wait(WaitStep(down=down.message), SessionWait(MINDS, ANSWERS, None, soon))

    async def unanswered(self, error: HqError | OverBudget) -> SessionEnded | None:
        """Why its mind gave no answer, and what follows."""
        match error:
            case OverBudget(wait=None):
                return await self.out_of_budget(error.why)
            case OverBudget(wait=SessionWait() as wait):
                return await self.wait(WaitStep(budget=error.why), wait)
            case MindBusy():
                return await self.wait(WaitStep(busy=error.message), SessionWait(MINDS, ANSWERS, None, error.until))
            case Outage():
                return await self.set_back(error)
            case MindDeclined():
                refused = not isinstance(error, MindSilent)
                return await self.declined(f"{error.message}; {error.hint}", refused=refused)
            case HqError():
                return await self.break_off("error_rate", error.message)

    # ---- end

    async def out_of_budget(self, why: str) -> SessionEnded:
        return await self.close("failed", 1, why)

    async def declined(self, why: str, *, refused: bool) -> SessionEnded:
        """Its mind will not answer this: asked again as it was, it would say the same. Of work on a mission the founder is told
        that it was left, with ways on; of other work only the incident tells."""
        if self.claimed.trigger.mission:
            return await self.close("failed", 2, why)
        return await self.fail("error_rate", why)

    async def break_off(self, kind: str, why: str) -> SessionEnded:
        """It leads nowhere."""
        return await self.fail(kind, why)

    async def fail(self, kind: str, why: str) -> SessionEnded:
        """Raised once, as an incident; never tried for ever."""
        await self.door.raise_incident(kind, why)
        return await self.close("failed", 2, why)

    async def out_of_time(self) -> SessionEnded:
        return await self.close("stopped", 3, f"out of time after {self.claimed.trigger.timeout} s", timed_out=True)

    async def stopped(self) -> SessionEnded:
        """Asked to stop. Where it is to hand over, it leaves what the next session needs before it goes."""
        why = self.signals.stop or ""
        if why.startswith((HANDOVER, INTERRUPT)) and self.mind.config.remembers and self.talk.answers:
            await self.drop_calls(INTERRUPTED)
            if self.talk.snapshot is None:
                await self.record.write(SnapshotNote(snapshot={**await self._snapshot(), "reason": why}))
            await self.door.finalise()
        return await self.close("stopped", 3, why)

    async def complete(self, done: re.Match[str]) -> SessionEnded | None:
        """Done by its own word."""
        nothing_learned = closing_snapshot.ClosingSnapshot(summary=self.talk.spoken, nothing_learned=True)
        return await self._leave(nothing_learned if NO_MEMORIES.search(done.group(0)) else None, reason_of(done))

    async def _leave(self, left: closing_snapshot.ClosingSnapshot | None, reason: str) -> SessionEnded | None:
        """It leaves a record, its memories and a memo, for which its mind is asked where nothing is said. Only then is it closed."""
        if self.mind.config.remembers:
            if self.talk.snapshot is None:
                left = left or await self._snapshot()
                await self.record.write(SnapshotNote(snapshot={**left, "reason": reason}))
            kept = await self.door.finalise()
            if not kept.ok:
                return await self.set_back(Outage((kept.error or {})["message"]))
        return await self.close("done", 0, reason)

    async def close(self, state: str, exit_code: int, why: str, *, timed_out: bool = False) -> SessionEnded:
        return await self.door.close(state, exit_code, why, timed_out=timed_out)

    async def _snapshot(self) -> closing_snapshot.ClosingSnapshot:
        try:
            text = await self.words(self.talk, closing_snapshot.PROMPT)
        except (HqError, OverBudget):  # the work is done; that it was not summed up does not undo it
            return closing_snapshot.read("", self.talk.spoken)
        return closing_snapshot.read(text, self.talk.spoken)


def reason_of(done: re.Match[str]) -> str:
    """What is now true, by the word with which a mind says that it is done."""
    return NO_MEMORIES.sub("", done.group("reason") or "").rstrip("; ")
