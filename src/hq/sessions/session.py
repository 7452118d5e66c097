"""One session: ask the mind, write down what it says, make its calls through the door, until it is done or has to wait.

The journal is all there is. Killed at any instant, the next worker reads it and goes on: a reply that was written down
is not asked for again, a call that has an outcome is not made again, and one that has none is made under its own key.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import timedelta
from typing import Any

import structlog

from hq import telemetry
from hq.context import letter
from hq.door.outcome import Outcome
from hq.engine.sessions.journal import Fenced, JournalStep
from hq.engine.sessions.steps import (
    HandedNote,
    NoteStep,
    NudgeNote,
    OpenStep,
    SessionWait,
    SetbackNote,
    SnapshotNote,
    SummaryNote,
    VerbStep,
    WaitStep,
)
from hq.errors import HqError, Outage, Refused
from hq.json_types import JsonObject
from hq.minds.mind import MindBusy, MindDeclined, MindRequest, OnText, Reply
from hq.minds.policy import TierDecision
from hq.sessions import closing_snapshot, limits, mind_call
from hq.sessions.config import AgentConfig
from hq.sessions.handoff import document
from hq.sessions.journalled_session import JournalledSession, Paused, SessionEnded
from hq.sessions.mind_call import text_of, user_message
from hq.sessions.session_host import HANDOVER, INTERRUPT, REST, SOFT, OverBudget
from hq.sessions.tool_offer import tool_offer
from hq.sessions.transcript import NO_MEMORIES, Transcript, told_apart
from hq.sessions.waits import awaited
from hq.sessions.workers import brief
from hq.sessions.workers.outcome import undone

log = structlog.get_logger("hq.session")
FULL = 0.75
SETBACKS = 8
"""How often in a row an answer may break off, each wait twice as long as the one before. A provider that is away does not count."""
MINDS, ANSWERS = ("mind:company",), ("mind.retried", "mind.set", "mind.stood_in")
"""What who waits for a mind listens to, beside the time."""
FRESH = timedelta(seconds=2)
"""How long what was told of how things stand is good for, as long as the session itself changes nothing: others are at work too."""
TRIES = 3
"""How often a session that takes its worker down with it is tried again, further apart each time."""
INTERRUPTED = Refused(
    "not gone on with: somebody interrupts you. Read the message first, then decide; look before you repeat it",
    code="interrupted",
)
PAUSED = Refused("not gone on with: whom you act for was paused. Look before you repeat it", code="interrupted")
OUT_OF_TIME = Refused("not gone on with: the time for this was up. Look before you repeat it", code="interrupted")
NUDGE = (
    'You neither called a tool nor said that you are done. Go on, or end with <task-complete reason="..."/> on a line '
    "of its own."
)
SUMMARISE = (
    "The context is nearly full. Write down, for yourself, everything you need to go on with the task at hand: what was "
    "asked, what was done and found, what is still open. Only that; call no tool."
)


class Session(JournalledSession):
    """The loop of a session."""

    async def run(self) -> SessionEnded:
        """Go on from wherever the journal is. Comes back when the session waits, is over, or is to be left."""
        held = self.claimed
        with telemetry.session_span(held.agent, str(held.id), held.kind, held.trigger_kind) as span:
            try:
                ended = await self._run_or_pause()
            except Fenced:
                log.info("fenced", session=str(held.id), holder=held.holder)
                ended = SessionEnded("fenced")
            failed = "failed" if ended.state == "failed" else None
            telemetry.ended(span, failed, **{"hq.session.state": ended.state})
        return ended

    async def _run_or_pause(self) -> SessionEnded:
        try:
            return await self._run()
        except Paused as pause:
            if self.journal.last:
                await self.journal.append(WaitStep(paused=str(pause)))
            return await self._handed_back()

    async def _run(self) -> SessionEnded:
        if self.claimed.tries >= TRIES:
            await self.journal.find_end()
            return await self._fail("crash", f"its worker was lost {self.claimed.tries} times at the same step")
        try:
            await self._begin()
        except Refused as error:
            return await self._fail("crash", error.message)
        while True:
            if self.leave:
                return await self._handed_back()
            if self._stops_now:
                return await self._stopped()
            if self.rests:
                raise Paused("whom it acts for is paused")
            if self.deadline and self._now() >= self.deadline:
                return await self._time_out()
            ended = await self._calls() if self.talk.pending else await self._turn()
            if ended is not None:
                return ended

    async def _handed_back(self) -> SessionEnded:
        """Whoever takes it up again goes on from the journal."""
        await self.journal.hand_back()
        return SessionEnded("queued")

    # ---- beginning

    async def _begin(self) -> None:
        steps = await self.journal.read()
        self.talk = Transcript.of(steps)
        # A conversation may begin with what the agent said of itself, before there was any session.
        if opened := next((step.payload for step in steps if isinstance(step.payload, OpenStep)), None):
            self.config = await self._reopened(AgentConfig.from_json(opened.config))
        else:
            await self._open()
        self.offer = tool_offer(self.company.door, self.claimed, self.config)
        await self._begun(steps)

    async def _begun(self, steps: Sequence[JournalStep]) -> None:
        self.deadline = limits.worker_deadline(self.claimed.trigger, steps, self._now())

    async def _open(self) -> None:
        if self.claimed.kind == "worker":
            self.config = brief.config(self.claimed)
            await self._opened(brief.prompt(self.claimed))
            return
        config = self.config = await self.company.config(self.claimed)
        told = await self._tell(begins=True)
        if not told.ok:
            raise Refused(f"no session without its context: {(told.error or {}).get('message')}")
        self.config = replace(config, identity=told.data["system"])
        await self._opened(told.data["opening"], told.taint)

    async def _reopened(self, kept: AgentConfig) -> AgentConfig:
        """What governs it after a rest: what did when it began."""
        return kept

    async def _tell(self, about: str = "", *, begins: bool = False) -> Outcome:
        """How things stand, for the mind that is asked next; it is no part of the conversation."""
        args = {"agent": self.config.slug, "session": str(self.claimed.id), "begins": begins}
        told = await self._do("context.tell", args | ({"about": about[:2000]} if about else {}))
        self.known, self.known_at = told.data["now"] if told.ok else "", self._now()
        return told

    async def _know(self) -> None:
        """What it is told of how things stand is so; what was read for that marks it like anything else."""
        if self.claimed.kind == "worker" or (self.known_at and self._now() - self.known_at < FRESH):
            return
        told = await self._tell(self._about())
        if not told.taint <= self.talk.taint:
            await self._write(NoteStep(taint=sorted(told.taint)))

    def _about(self) -> str:
        """What it is about now, where that is not what woke it."""
        return ""

    async def _opened(self, prompt: str, taint: frozenset[str] = frozenset()) -> None:
        await self._write(OpenStep(config=self.config.as_json(), prompt=prompt, taint=sorted(taint)))

    async def _hear(self) -> None:
        """Take up what was said meanwhile, to this session or to its agent."""
        if self.claimed.kind == "worker":
            return
        if (said := await self.journal.hear(letter.message_prompt)) is not None:
            self.talk.add(said)
            self.stop = None if self.stop == SOFT else self.stop

    # ---- a turn of the mind

    async def _turn(self) -> SessionEnded | None:
        await self._hear()
        if self.talk.handoff:
            await self._hand_off(*self.talk.handoff)
        if self.talk.turns and (ended := await self._finished()):
            return ended
        if self.talk.turns >= self.config.max_turns:
            return await self._break_off("stop_integrity", f"{self.config.max_turns} turns without an end")
        if why := self.company.looping(self.talk, self.config):
            return await self._break_off("loop", why)
        return await self._ask()

    async def _break_off(self, kind: str, why: str) -> SessionEnded:
        """It leads nowhere."""
        return await self._fail(kind, why)

    async def _out_of_budget(self, why: str) -> SessionEnded:
        return await self._close("failed", 1, why)

    async def _declined(self, why: str) -> SessionEnded:
        """Its mind will not answer this: asked again as it was, it would say the same."""
        return await self._fail("error_rate", why)

    async def _finished(self) -> SessionEnded | None:
        """Its last word called nothing: it is done, or it has to be told once to say so."""
        if (done := self.talk.complete) is not None:
            reason = NO_MEMORIES.sub("", done.group("reason") or "").rstrip("; ")
            return await self._complete(reason, bool(NO_MEMORIES.search(done.group(0))))
        if not self.talk.answered:
            return None
        if not self.talk.nudged:
            await self._write(NudgeNote(nudge=NUDGE))
            return None
        return await self._fail("stop_integrity", "ended without saying that the task is complete")

    async def _ask(self) -> SessionEnded | None:
        limit = self._thinking = asyncio.timeout(self._left())
        try:
            async with limit:
                if self._has_too_much_to_read():
                    await self._compact()
                await self._know()
                reply, chosen = await self._answered(self._asked(self.talk.next_messages()), self._listener())
        except TimeoutError:
            if not limit.expired():
                raise
            return await self._stopped() if self._stops_now else await self._time_out()
        except OverBudget as over:
            if over.wait is None:
                return await self._out_of_budget(over.why)
            return await self._wait(WaitStep(budget=over.why), over.wait)
        except MindBusy as busy:
            return await self._wait(WaitStep(busy=busy.message), SessionWait(MINDS, ANSWERS, None, busy.until))
        except Outage as down:
            return await self._set_back(down)
        except MindDeclined as declined:
            return await self._declined(f"{declined.message}; {declined.hint}")
        except HqError as error:
            return await self._break_off("error_rate", error.message)
        finally:
            self._thinking = None
        place = f"{self.claimed.id}:{self.journal.last + 1}"
        await self._write(
            mind_call.entry(replace(reply, response=told_apart(reply.response, self.talk, place)), chosen)
        )
        return None

    def _asked(self, messages: Any) -> MindRequest:
        now = self.known or mind_call.clock_line(self._now())
        return mind_call.ask_of(messages, self.config, self.offer.shown, self.claimed.trigger_kind, now)

    def _listener(self) -> OnText | None:
        """Who hears what the mind says while it says it."""
        return None

    async def _tier(self) -> TierDecision:
        return await self.company.tier(self.claimed, self.config)

    async def _answered(self, ask: MindRequest, on_text: OnText | None = None) -> tuple[Reply, TierDecision]:
        chosen = TierDecision("light", "a light mind will do") if ask.tier == "light" else await self._tier()
        reply = await mind_call.answered(
            self.company, self.claimed, self.config, replace(ask, tier=chosen.tier), on_text
        )
        return reply, chosen

    async def _set_back(self, down: Outage) -> SessionEnded | None:
        if self.talk.setbacks + 1 >= SETBACKS:
            return await self._break_off("error_rate", f"{down.message}, {SETBACKS} times in a row")
        await self._write(SetbackNote(setback=down.message))
        soon = self._now() + timedelta(seconds=2**self.talk.setbacks)
        return await self._wait(WaitStep(down=down.message), SessionWait(MINDS, ANSWERS, None, soon))

    def _has_too_much_to_read(self) -> bool:
        return self.talk.tokens > FULL * self.config.context_window

    async def _compact(self, **more: Any) -> None:
        reply, _ = await self._answered(self._asked([*self.talk.next_messages(), *user_message(SUMMARISE)]))
        await self._write(SummaryNote(summary=f"What happened so far:\n{text_of(reply)}", **more))

    # ---- the mind's calls

    async def _calls(self) -> SessionEnded | None:
        for call in list(self.talk.pending):
            if self._stops_now or self.leave or self.rests:
                return None
            if self.stop == SOFT:
                return await self._drop_calls()
            with telemetry.tool_span(call.tool_name, call.tool_call_id) as span:
                outcome = await self._call(call)
                code = (outcome.error or {}).get("code")
                telemetry.ended(span, code, **{"hq.verb": outcome.action})
            if code == "fenced":
                raise Fenced
            verb = self.company.door.registry.verbs.get(outcome.action)  # a program's own function is none
            if outcome.ok and verb and verb.changes:
                self.known_at = None
            if code == "paused":  # and it has to come to its end all the same
                return await self._drop_calls(PAUSED)
            if code == "unknown_outcome":
                await self._raise(
                    "crash", f"{outcome.action} may have happened or not: check before it is repeated", call
                )
            if code == "waiting":
                wait = awaited(outcome)
                if self._talks_on(wait.things):
                    told = {"ok": False, "error": outcome.error, "data": outcome.data}
                    await self._write(VerbStep(call=call.tool_call_id, verb=outcome.action, **told, waits=wait))
                    continue
                return await self._wait(WaitStep(call=call.tool_call_id, things=list(wait.things)), wait)
            if code == "outage" and outcome.action_id is None:
                return await self._set_back(Outage((outcome.error or {})["message"]))
        return None

    def _talks_on(self, things: Sequence[str]) -> bool:
        """Whether it goes on although a call waits."""
        return False

    async def _drop_calls(self, why: Refused = INTERRUPTED) -> None:
        """What the mind wanted to do is left undone: somebody interrupts, or its time is up."""
        for call in list(self.talk.pending):
            await self._write(VerbStep(call=call.tool_call_id, ok=False, error=why.as_dict()))

    # ---- rest and end

    @property
    def _stops_now(self) -> bool:
        """Asked to hand over, it first makes the calls the mind is waiting for; interrupted softly, it goes on."""
        return bool(self.stop) and self.stop != SOFT and not (self.stop.startswith(HANDOVER) and self.talk.pending)

    def halt(self, why: str) -> None:
        """Asked to stop, or to rest. A hard interrupt does not even wait for what the mind is about to say."""
        if why == REST:
            self.rests = True
            return
        self.stop = self.stop if self.stop and self.stop != SOFT else why
        if self.stop.startswith(INTERRUPT) and self._thinking is not None:
            self._thinking.reschedule(asyncio.get_running_loop().time())

    async def _stopped(self) -> SessionEnded:
        """Asked to stop. Where it is to hand over, it leaves what the next session needs before it goes."""
        why = self.stop or ""
        if why.startswith((HANDOVER, INTERRUPT)) and self.config.remembers and self.talk.turns:
            await self._drop_calls()
            if self.talk.snapshot is None:
                await self._write(SnapshotNote(snapshot={**await self._snapshot(), "reason": why}))
            await self._finalise()
        return await self._close("stopped", 3, why)

    async def _finalise(self) -> Outcome:
        return await self._do(
            "session.finalise",
            {"session": str(self.claimed.id), "model": self.talk.model, **(self.talk.snapshot or {})},
            key="finalise",
        )

    async def _complete(self, reason: str, nothing_learned: bool) -> SessionEnded | None:
        """Done by its own word: it leaves a record, its memories and a memo. Only then is it closed."""
        if self.claimed.kind == "worker" and (why := undone(self.talk, reason)):
            return await self._close("failed", 2, why)
        if self.config.remembers:
            if self.talk.snapshot is None:
                left = (
                    {"summary": self.talk.spoken, "nothing_learned": True}
                    if nothing_learned
                    else await self._snapshot()
                )
                await self._write(SnapshotNote(snapshot={**left, "reason": reason}))
            left = await self._finalise()
            if not left.ok:
                return await self._set_back(Outage((left.error or {})["message"]))
        return await self._close("done", 0, reason)

    async def _snapshot(self) -> JsonObject:
        try:
            reply, _ = await self._answered(
                self._asked([*self.talk.next_messages(), *user_message(closing_snapshot.PROMPT)])
            )
        except (HqError, OverBudget):  # the work is done; that it was not summed up does not undo it
            return closing_snapshot.read("", self.talk.spoken)
        return closing_snapshot.read(text_of(reply), self.talk.spoken)

    async def _hand_off(self, handoff: str, asks: str) -> None:
        """Write the document for a successor, beside the work, and go on. Written once, it is not written again."""
        try:
            reply, _ = await self._answered(self._asked([*self.talk.next_messages(), *user_message(asks)]))
            text = text_of(reply)
        except (HqError, OverBudget):  # better what is known without it than none
            text = ""
        written = document.read(text, self.claimed.trigger.text, self.talk.spoken)
        await self._do("handoff.write", {"handoff": handoff, **asdict(written)}, key=f"handoff:{handoff}")
        await self._write(HandedNote(handed=handoff))
