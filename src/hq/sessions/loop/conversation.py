"""A session that is a conversation: it rests when it has said what it had to say, and goes on when it is spoken to.

It is never over by itself. Its window slides, what was said is looked through for memories when it has gone quiet, and
a call that waits for the founder does not silence it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, TypedDict

from hq.context import inbound_format, recollection
from hq.context import window as context_window
from hq.engine.sessions.journal import JournalStep
from hq.engine.sessions.steps import (
    HouseSaidNote,
    OpenStep,
    RememberedNote,
    RunRequest,
    SessionWait,
    SettledNote,
    WaitStep,
    WindowNote,
)
from hq.errors import HqError, Refused
from hq.memory import extraction
from hq.minds.mind import MindRequest, OnText
from hq.minds.policy import TierDecision
from hq.minds.prompt_data import PREVIOUS
from hq.sessions.config import AgentConfig
from hq.sessions.conversation_hooks import ConversationHooks
from hq.sessions.draft import DraftWriter
from hq.sessions.loop.door import result_of
from hq.sessions.loop.kind import SUMMARISE, SessionKind
from hq.sessions.loop.parts import SessionParts
from hq.sessions.loop.record import SessionEnded
from hq.sessions.mind_call import text_of, user_message
from hq.sessions.run_options import wishes
from hq.sessions.run_turns import RunTurns
from hq.sessions.session_host import OverBudget
from hq.sessions.transcript import DONE, Transcript, Unsettled
from hq.sessions.waits import awaited, resting

SUMMED = "{why}. I have summed up what was said and done, and go on from there."
NOT_SUMMED = "{why}. I could not sum up what was said and done, so I go on from what you said and from what I know is done, and try again later."
LEFT = "({why}. So I go on from what we said; what I had looked up before, I look up again.)"
"""What whoever listens is told when a conversation goes on from a summary."""
SOONEST = 2
"""Answers from one summary to the next at least, however little a run may use: what it reads at all is not less for another."""
OUT_OF_TIME = Refused("not gone on with: the time for this was up. Look before you repeat it", code="interrupted")
LIGHT = TierDecision("light", "a light mind will do")


class WhoseTurn(TypedDict, total=False):
    """Of what came of a call that waited: whose turn it is by that, or that it is nobody's."""

    runs: list[RunRequest]
    repeated: bool
    quiet: bool


class ConversationKind(SessionKind):
    has_brief = False

    def __init__(self, parts: SessionParts) -> None:
        super().__init__(parts)
        self.hooks: ConversationHooks = self.host.door.services[ConversationHooks]
        self.turns = RunTurns()
        """Which runs are open, and whose turn it is. The deadline is theirs."""
        self.said = ""
        """What was said last."""
        self._read_again = False
        """Its agent's files were: who it is now is told with how things stand."""
        self._speaking: DraftWriter | None = None
        self._done: list[str] = []
        """What was done that waited for a yes, and leaves nothing to do."""
        self._gone_quiet = False
        """Nobody has spoken for a while: it is to look back once."""

    # ---- beginning

    async def resume(self, kept: AgentConfig) -> AgentConfig:
        """A conversation goes on for years: it is governed by what its agent's files say now, not by what they said once."""
        try:
            config = await self.host.config(self.claimed)
        except Refused:  # they cannot be read, and it goes on as it was
            return kept
        self._read_again = True
        return config

    async def begun(self, steps: Sequence[JournalStep]) -> None:
        self.said = inbound_format.last_said(self.claimed.trigger, steps)
        self._gone_quiet = recollection.is_due(steps, self.now())
        self._mind_the_time(steps or [JournalStep(1, OpenStep(), None, self.now())])
        # First, for a run whose call came back has its turn then, and a message waits for the next.
        await self._settle()
        await self._hear(steps)
        for text in self._done:  # behind the word that let it be done
            await self.record.write(HouseSaidNote(house=text))

    async def hear(self) -> None:
        await self._hear()

    async def _hear(self, before: Sequence[JournalStep] | None = None) -> None:
        """Take up what was said meanwhile. What limits one run counts from there."""
        if (heard := await self.record.journal.hear(inbound_format.thread_prompt)) is None:
            return
        self.talk.add(heard)
        self.signals.heard()
        self._gone_quiet = False
        steps = await self.record.journal.read()
        self._mind_the_time(steps)
        self.said = heard.prompt
        await self._slide(steps if before is None else before)

    def _mind_the_time(self, steps: Sequence[JournalStep]) -> None:
        """Whose turn it is in a thread, and how long they have."""
        self.turns = RunTurns.of(self.claimed.trigger, steps)
        self.signals.deadline = self.turns.deadline(self.now())

    async def _slide(self, steps: Sequence[JournalStep]) -> None:
        """A thread is told anew what is known that bears on what was said, and its window slides."""
        self.mind.outdated()
        if len(self.turns.open) > len(self.turns.turn):  # what one waits for has to stay in sight
            return
        if found := context_window.older(steps, self.talk.tokens):
            upto, older = found
            before = Transcript.of(older)
            if not before.pending:
                await self._sum_up(upto, before)

    async def _sum_up(self, upto: int, before: Transcript) -> None:
        """What is before this step stays only as its summary, which is also kept in the graph."""
        try:
            text = await self.words(before, SUMMARISE.format(why="it has grown long"))
        except (HqError, OverBudget):  # it is still all there; the next message tries again
            return
        if not text:
            return
        summary = f"{PREVIOUS}\n{text}"
        taint = sorted(self.talk.taint)
        note = WindowNote(summary=summary, from_step=upto, taint=taint, waiting=before.waiting)
        await self.record.journal.append(note)
        args = {"session": str(self.claimed.id), "upto": upto, "summary": text}
        await self.door.do(self.hooks.summed_up, args, key=f"summary:{upto}")
        await self.record.read()

    # ---- how its mind is asked

    async def look_around(self) -> None:
        told = await self.mind.know(self.said)
        if told and told.ok and self._read_again:
            self.mind.config = replace(self.mind.config, identity=told.data["system"])

    def request(self, messages: Any) -> MindRequest:
        ask = self.mind.request(messages, self.claimed.trigger_kind)
        return replace(ask, now="\n".join(filter(None, (ask.now, wishes(self.turns.turn)))), lasting=True)

    async def tier(self) -> TierDecision:
        """By what was said last, not by how the thread began."""
        trigger = self.claimed.trigger.model_copy(update={"text": self.said})
        return await self.host.tier(replace(self.claimed, trigger=trigger), self.mind.config)

    def listener(self) -> OnText:
        self._speaking = DraftWriter(self.record.journal)
        return self._speaking

    def fullness(self) -> str:
        """Also what a run may use is no end of a conversation: it goes on from a summary, at a fraction of the cost."""
        used = (
            f"what one run may use, {self.mind.config.tokens_per_run or 0:,} tokens, is used"
            if self.mind.used_up and (self.talk.replies >= SOONEST or not self.talk.summed_up)
            else ""
        )
        return super().fullness() or used

    def carried(self, refused: str = "", *, failed: bool = False) -> str:
        if refused:
            return LEFT.format(why=refused)
        spent, size = f"{self.talk.spent_tokens:,}", f"{self.talk.tokens:,}"
        why = (
            f"This took {spent} tokens so far" if self.mind.used_up else f"Our conversation has grown to {size} tokens"
        )
        return (NOT_SUMMED if failed else SUMMED).format(why=why)

    async def finished(self) -> SessionEnded | None:
        if self.talk.answered or self.talk.broke_off:
            return await self._look_back() if self._gone_quiet else await self._rest("success")
        return await self.complete(done) if (done := self.talk.complete) else None

    # ---- calls that wait

    def talks_on(self, things: Sequence[str]) -> bool:
        """Who talks with the founder does not fall silent over what only the founder can decide, nor when spoken to."""
        asks_founder = bool(things) and all(thing.startswith("approval:") for thing in things)
        return asks_founder or self.talk.spoken_to

    async def _settle(self) -> None:
        """Look after the calls that waited while the talk went on."""
        out = dict(self.talk.unsettled)
        for id, waited in out.items():
            runs = [run for run in self.turns.calls.get(id, ()) if run.id in self.turns.open]
            if not self.turns.rests and (runs or self.turns.turn):
                continue  # a run's turn is its own
            outcome = await self.door.settle(waited.call)
            code = (outcome.error or {}).get("code")
            if code == "waiting":  # from now on: what happened so far has not settled it, and would only wake it again
                self.talk.unsettled[id] = replace(waited, wait=awaited(outcome))
            elif code != "outage":
                whose: WhoseTurn = {"runs": runs} if runs else {}
                if not runs and (self.talk.took_back(waited) or (outcome.ok and self.talk.called_again(waited))):
                    whose = {"repeated": True}
                elif (outcome.ok and self._waits_beyond(waited, out)) or (
                    code == "forbidden" and await self._took_back(waited)
                ):
                    whose = {"quiet": True}
                elif outcome.ok and not runs and self.door.is_whole(outcome):
                    whose = {"quiet": True}
                    self._done.append(await self._done_by_house(waited))
                await self.record.write(SettledNote(settled=id, **whose, **result_of(outcome)))
                self.mind.outdated()
                self._mind_the_time(await self.record.journal.read())

    async def _done_by_house(self, waited: Unsettled) -> str:
        """What was asked for, in the house's own words, is done."""
        asked = await self._asked_for(waited)
        return f"Done: {asked['title']}." if asked else f"Done: {waited.name}."

    async def _took_back(self, waited: Unsettled) -> bool:
        """Whether its agent withdrew itself what the call asked for: that is no news to it."""
        asked = await self._asked_for(waited)
        return asked.get("state") == "withdrawn" and asked.get("ended_by") == self.claimed.actor

    async def _asked_for(self, waited: Unsettled) -> Mapping[str, Any]:
        """The permission that a call waits for; nothing where it waits for none."""
        asks = (id for kind, _, id in (each.partition(":") for each in waited.wait.things) if kind == "approval")
        shown = await self.door.do("ask.show", {"ask": ask}) if (ask := next(asks, None)) else None
        return shown.data if shown and shown.ok else {}

    def _waits_beyond(self, waited: Unsettled, out: Mapping[str, Unsettled]) -> bool:
        """Whether another call waits for what this one waited for, and for what follows from it: one wake for both."""
        others = [each.wait.things for id, each in out.items() if id in self.talk.unsettled]
        return any(set(waited.wait.things) < set(each) for each in [*others, self.talk.lies_for])

    # ---- rest and end

    async def wait(self, payload: WaitStep, wait: SessionWait) -> SessionEnded:
        """What a run waits does not count."""
        return await self.record.park(payload, wait)

    async def out_of_time(self) -> SessionEnded:
        """It only stops where it is: what it has said by then is what there is."""
        await self.drop_calls(OUT_OF_TIME)
        why = f"out of time after {min(run.timeout for run in self.turns.turn if run.timeout)} s"
        begun = self._speaking.text if self._speaking else ""
        return await self._rest("timeout", timed_out=why, partial=DONE.sub("", begun).strip())

    async def break_off(self, kind: str, why: str) -> SessionEnded:
        """A conversation does not end by leading nowhere: it says so, and rests until somebody speaks."""
        if not (self.talk.stopped_for or "").startswith(
            why
        ):  # else it is the same as before: nobody is woken for it twice
            await self.door.raise_incident(kind, why, key=f"incident:{self.record.journal.last}")
        return await self._broken_off(why)

    async def out_of_budget(self, why: str) -> SessionEnded:
        """No end of a conversation: it goes on when it is spoken to and may spend again."""
        return await self._broken_off(f"{why}; `hq budget raise` gives it more")

    async def declined(self, why: str, *, refused: bool) -> SessionEnded:
        """Told once. What was refused is not put to the mind again with the next message."""
        return await self._broken_off(why, declined=refused)

    async def _broken_off(self, why: str, **more: Any) -> SessionEnded:
        """Told with what was done by then: nobody else says it."""
        done = await self.done_by_then()
        return await self._rest("failed", broke_off=f"{why}. Done before that: {done}" if done else why, **more)

    async def _rest(self, status: str, **more: Any) -> SessionEnded:
        """It has said what it had to say. Whoever waits for a run that this answers is told that it is over."""
        answered = self.turns.answered(self.talk.unsettled)
        await self._tell_runs(answered, status)
        quiet_at = self.now() + recollection.QUIET
        answers = [run.id for run in answered]
        return await self._lie_down(quiet_at, quiet_at=quiet_at.isoformat(), answers=answers, **more)

    async def _lie_down(self, until: datetime | None = None, **more: Any) -> SessionEnded:
        """Until it is spoken to, or something comes back that it waits for."""
        return await self.record.park(*resting(self.talk, until, **more))

    async def _look_back(self) -> SessionEnded:
        """What is worth remembering of what was said is remembered, through the same verb as anybody's. Then it rests."""
        said = recollection.said_since(self.claimed.trigger, await self.record.journal.read())
        if extraction.worth_a_look(said.founder):
            for number, found in enumerate(await self._worth_remembering(said)):
                await self.door.do("memory.add", found.as_args(), key=f"remember:{said.upto}:{number}")
        await self.record.write(RememberedNote(remembered=said.upto))
        return await self._lie_down()

    async def _worth_remembering(self, talk: recollection.UnreviewedTalk) -> Sequence[extraction.ExtractedMemory]:
        messages = user_message(f"{extraction.PROMPT}\n\n{talk.all}")
        try:
            ask = MindRequest(messages=messages, instructions="", purpose="remember")
            reply = await self.mind.answer(ask, LIGHT)
        except (HqError, OverBudget):  # it waits for the next conversation
            return []
        found = extraction.read(text_of(reply))
        return extraction.by_rules(talk.founder) if found is None else found

    async def _tell_runs(self, runs: Sequence[RunRequest], status: str) -> None:
        for run in runs:
            key = f"run:{run.id}"
            if run.mention:
                if status == "success":
                    said = {"into": run.mention, "text": self.talk.spoken[:20_000]}
                    await self.door.do(self.hooks.joined, said, key=key)
            else:
                await self.door.do(self.hooks.run_ended, {"run": run.id, "status": status}, key=key)

    async def close(self, state: str, exit_code: int, why: str, *, timed_out: bool = False) -> SessionEnded:
        await self._tell_runs(list(self.turns.open.values()), "failed")
        return await self.door.close(state, exit_code, why, timed_out=timed_out)
