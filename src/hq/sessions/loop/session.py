"""One session: ask the mind, write down what it says, make its calls through the door, until it is done or has to wait.

The journal is all there is. Killed at any instant, the next worker reads it and goes on: a reply that was written down
is not asked for again, a call that has an outcome is not made again, and one that has none is made under its own key.
"""

from __future__ import annotations

import asyncio
from dataclasses import asdict, replace

import structlog
from pydantic_ai.messages import ToolCallPart

from hq import telemetry
from hq.coding.programs import CodingPrograms
from hq.door.caller import shares
from hq.engine.sessions.journal import Fenced, Journal
from hq.engine.sessions.leases import Claimed
from hq.engine.sessions.steps import HandedNote, OpenStep, VerbStep, WaitStep
from hq.engine.tenancy import inside
from hq.errors import HqError, Outage, Refused
from hq.minds.mind import HistoryRefused, Reply
from hq.minds.policy import TierDecision
from hq.sessions import mind_call
from hq.sessions.config import AgentConfig
from hq.sessions.handoff import document
from hq.sessions.loop.completion import CompletionKind
from hq.sessions.loop.conversation import ConversationKind
from hq.sessions.loop.door import Paused
from hq.sessions.loop.kind import INTERRUPTED, SessionKind
from hq.sessions.loop.parts import SessionParts
from hq.sessions.loop.record import SessionEnded
from hq.sessions.loop.worker import WorkerKind
from hq.sessions.session_host import INTERRUPT, SOFT, OverBudget, SessionHost
from hq.sessions.tool_offer import tool_offer
from hq.sessions.transcript import Transcript, told_apart
from hq.sessions.waits import awaited

log = structlog.get_logger("hq.session")
TRIES = 2
"""How many workers a session may take down with it at the same step; it takes no further one."""
CUT_SHORT = (
    "somebody interrupts you: what it did so far lies in your tree. Read the message first; `resume` goes on with it"
)
PAUSED = Refused("not gone on with: whom you act for was paused. Look before you repeat it", code="interrupted")


def kind_of(claimed: Claimed) -> type[SessionKind]:
    """What sort of session this is, by what opened it."""
    if claimed.trigger.client is not None:
        return CompletionKind
    return {"worker": WorkerKind, "thread": ConversationKind}.get(claimed.kind, SessionKind)


class Session:
    """`run()` goes on from wherever the journal is, and comes back when the session waits, is over, or is to be left."""

    def __init__(self, host: SessionHost, claimed: Claimed, journal: Journal) -> None:
        parts = SessionParts.of(host, claimed, journal)
        self.host = host
        self.claimed = claimed
        self.record, self.door, self.mind, self.signals = parts.record, parts.door, parts.mind, parts.signals
        self.kind = kind_of(claimed)(parts)

    async def run(self) -> SessionEnded:
        held = self.claimed
        with telemetry.session_span(held.agent, str(held.id), held.kind, held.trigger_kind) as span:
            try:
                ended = await self._run_or_rest()
            except Fenced:
                log.info("fenced", session=str(held.id), holder=held.holder)
                ended = SessionEnded("fenced")
            failed = "failed" if ended.state == "failed" else None
            telemetry.ended(span, failed, **{"hq.session.state": ended.state})
        return ended

    def halt(self, why: str) -> None:
        """Somebody wants it to stop, to rest, or to read something first: then also what a coding program does for it is left undone."""
        self.signals.halt(why)
        if why.startswith((SOFT, INTERRUPT)):
            self.host.door.services[CodingPrograms].stop(str(self.claimed.id), CUT_SHORT)

    async def _run_or_rest(self) -> SessionEnded:
        try:
            return await self._run()
        except Paused as pause:  # whom it acts for is paused: it lies until that ends
            if self.record.journal.last:
                await self.record.journal.append(WaitStep(paused=str(pause)))
            return await self.record.hand_back()

    async def _run(self) -> SessionEnded:
        if self.claimed.tries >= TRIES:
            return await self.kind.fail("crash", f"its worker was lost {self.claimed.tries} times at the same step")
        try:
            await self._begin()
        except Refused as error:
            return await self.kind.fail("crash", error.message)
        while (ended := await self._go_on()) is None:
            pass
        return ended

    async def _begin(self) -> None:
        steps = await self.record.read()
        # A conversation may begin with what the agent said of itself, before there was any session.
        if opened := next((step.payload for step in steps if isinstance(step.payload, OpenStep)), None):
            self.mind.config = await self.kind.resume(AgentConfig.from_json(opened.config))
        else:
            await self.record.write(await self.kind.open())
        async with inside(self.host.door.pool, self.claimed.tenant_id) as reader:
            kept = await shares(reader)
        self.door.offer = tool_offer(self.host.door, self.claimed, self.mind.config, kept)
        await self.kind.begun(steps)

    async def _go_on(self) -> SessionEnded | None:
        """One round: what others want comes first, then the calls the mind is waiting for, then the mind."""
        if self.signals.leave:
            return await self.record.hand_back()
        if self._stops_now:
            return await self.kind.stopped()
        if self.signals.rests:
            raise Paused("whom it acts for is paused")
        if self.signals.late(self.host.door.clock.now()):
            return await self.kind.out_of_time()
        return await self._make_calls() if self._talk.pending else await self._turn()

    # ---- a turn of the mind

    async def _turn(self) -> SessionEnded | None:
        await self.kind.hear()
        if self._talk.handoff:
            await self._hand_off(*self._talk.handoff)
        if self._talk.turns and (ended := await self.kind.finished()):
            return ended
        if self._talk.turns >= self.mind.config.max_turns:
            return await self.kind.break_off("stop_integrity", f"{self.mind.config.max_turns} turns without an end")
        if why := self.host.looping(self._talk, self.mind.config):
            return await self.kind.break_off("loop", why)
        return await self._ask()

    async def _ask(self) -> SessionEnded | None:
        limit = self.signals.thinking = asyncio.timeout(self.signals.left(self.host.door.clock.now()))
        try:
            async with limit:
                if self.kind.is_full():
                    await self.record.write(await self.kind.sum_up())
                await self.kind.look_around()
                reply, chosen = await self._answer()
        except TimeoutError:
            if not limit.expired():
                raise
            return await self.kind.stopped() if self._stops_now else await self.kind.out_of_time()
        except (OverBudget, HqError) as error:
            return await self.kind.unanswered(error)
        finally:
            self.signals.thinking = None
        place = f"{self.claimed.id}:{self.record.journal.last + 1}"
        said = replace(reply, response=told_apart(reply.response, self._talk, place))
        await self.record.write(mind_call.entry(said, chosen))
        return None

    async def _answer(self) -> tuple[Reply, TierDecision]:
        """Where a provider will not take what is kept of the calls, it goes on from what was said."""
        try:
            return await self.kind.ask(self._talk.next_messages(), self.kind.listener())
        except HistoryRefused as refused:
            if (anew := await self.kind.in_words_alone(refused)) is None:
                raise
            answered = await self.kind.ask(self._talk.after(anew).next_messages(), self.kind.listener())
            await self.record.write(anew)
            return answered

    async def _hand_off(self, handoff: str, asks: str) -> None:
        """Write the document for a successor, beside the work, and go on. Written once, it is not written again."""
        try:
            text = await self.kind.words(self._talk, asks)
        except (HqError, OverBudget):  # better what is known without it than none
            text = ""
        written = document.read(text, self.claimed.trigger.text, self._talk.spoken)
        await self.door.do("handoff.write", {"handoff": handoff, **asdict(written)}, key=f"handoff:{handoff}")
        await self.record.write(HandedNote(handed=handoff))

    # ---- the mind's calls

    async def _make_calls(self) -> SessionEnded | None:
        for call in list(self._talk.pending):
            if self._stops_now or self.signals.leave or self.signals.rests:
                break
            if self.signals.interrupted:
                return await self.kind.drop_calls(INTERRUPTED)
            if not self.kind.makes(call):
                continue
            if (ended := await self._make(call)) is not None:
                return ended
            if not self._talk.pending:
                break
        return await self.kind.calls_made()

    async def _make(self, call: ToolCallPart) -> SessionEnded | None:
        with telemetry.tool_span(call.tool_name, call.tool_call_id) as span:
            outcome = await self.door.call(call)
            code = (outcome.error or {}).get("code")
            telemetry.ended(span, code, **{"hq.verb": outcome.action})
        if self.door.changes(outcome):
            self.mind.outdated()
        match code:
            case "fenced":
                raise Fenced
            case "paused":  # and it has to come to its end all the same
                await self.kind.drop_calls(PAUSED)
            case "unknown_outcome":
                why = f"{outcome.action} may have happened or not: check before it is repeated"
                await self.door.raise_incident("crash", why, key=f"incident:{call.tool_call_id}")
            case "waiting":
                wait = awaited(outcome)
                if not self.kind.talks_on(wait.things):
                    return await self.kind.wait(WaitStep(call=call.tool_call_id, things=list(wait.things)), wait)
                told = {"ok": False, "error": outcome.error, "data": outcome.data}
                await self.record.write(VerbStep(call=call.tool_call_id, verb=outcome.action, **told, waits=wait))
            case "outage" if outcome.action_id is None:
                return await self.kind.set_back(Outage((outcome.error or {})["message"]))
            case _:
                pass
        return None

    @property
    def _stops_now(self) -> bool:
        return self.signals.stops_now(bool(self._talk.pending))

    @property
    def _talk(self) -> Transcript:
        return self.record.talk
