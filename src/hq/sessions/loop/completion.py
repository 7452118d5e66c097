"""A completion's session: an agent answers one request of a program, with its own tools inside, and is done.

What the program has functions for is not called here: the reply that wants them called is the answer. Nobody speaks to it in
between, nothing of it is remembered, and it never waits for a mind: a program is told at once, and knows how to ask again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.tools import ToolDefinition

from hq.engine.sessions.journal import JournalStep
from hq.engine.sessions.steps import GivenUpNote, MindStep, NudgeNote, OpenStep, SettledNote, VerbStep
from hq.engine.tenancy import inside
from hq.errors import HqError, Outage, Refused
from hq.guard.estimate import LONGEST_ANSWER
from hq.json_schema import SchemaUnusable
from hq.minds.mind import HistoryRefused, MindAway, MindBusy, MindDeclined, MindRequest, MindUnready, OnText, Reply
from hq.minds.policy import TierDecision
from hq.minds.service import Minds
from hq.sessions.completions import answer_format
from hq.sessions.completions.ability import check_ability
from hq.sessions.completions.completion import completion_steps, request_of
from hq.sessions.completions.history import Earlier, done_in, dumped, history, sessions_in
from hq.sessions.completions.request import CompletionArgs
from hq.sessions.completions.text_limit import TextLimit
from hq.sessions.config import AgentConfig
from hq.sessions.draft import DraftWriter
from hq.sessions.loop.door import result_of
from hq.sessions.loop.kind import SessionKind
from hq.sessions.loop.record import SessionEnded
from hq.sessions.run_options import HOW_LONG
from hq.sessions.session_host import OverBudget
from hq.sessions.spoken_text import spoken_text
from hq.sessions.waits import resting

CALL = 2_048
"""Tokens that a call of a tool of hq's own may take, and what is thought before it, however short the answer is to be."""
CORRECTIONS = 2
"""How often a mind is told that its answer does not fit."""
TOLD = """## A program asks
A program talks to you as to a model. What it says follows, and your answer goes to it: it does not see what you do with your own
tools, only your last words, and there is no later. Answer what it asks."""
MISFIT = "no call was made: "
ONE_CALL = Refused.invalid("the program takes one call at a time; the first of these goes to it")


class CompletionKind(SessionKind):
    asked: CompletionArgs
    _corrected = 0
    _limit: TextLimit
    """Of all that it says: where it is reached, no more is asked for."""

    # ---- beginning

    async def open(self) -> OpenStep:
        await self._read_request()
        told = await self.mind.introduce(await self.host.config(self.claimed), self.asked.said)
        before, earlier = await self._earlier()
        past = dumped(history(before, self.asked.messages, earlier))
        return OpenStep(config=self.mind.config.as_json(), past=past, taint=sorted(told.taint))

    async def resume(self, kept: AgentConfig) -> AgentConfig:
        await self._read_request()
        return kept

    async def begun(self, steps: Sequence[JournalStep]) -> None:
        self._corrected = sum(map(_corrects, steps))
        self._begin_anew()
        for step in steps:
            if isinstance(step.payload, NudgeNote):
                self._begin_anew()
            elif isinstance(step.payload, MindStep):
                self._hear_line()
                self._limit.feed(spoken_text(step.payload.response["parts"]))
        for id, waited in list(self.talk.unsettled.items()):
            outcome = await self.door.settle(waited.call)
            if (outcome.error or {}).get("code") not in ("waiting", "outage"):
                await self.record.write(SettledNote(settled=id, **result_of(outcome)))

    async def _read_request(self) -> None:
        async with inside(self.host.door.pool, self.claimed.tenant_id) as reader:
            self.asked = await request_of(reader, self.claimed.id)

    async def _earlier(self) -> tuple[list[ModelMessage], Earlier]:
        """What the completion said and did that this one goes on from, and those whose calls the program made."""
        async with inside(self.host.door.pool, self.claimed.tenant_id) as reader:
            before: list[ModelMessage] = []
            if self.asked.previous:
                was, did = done_in(self.asked.previous, await completion_steps(reader, self.asked.previous))
                before = [*was, *did]
            earlier = {
                id: done_in(id, await completion_steps(reader, id))[1] for id in sessions_in(self.asked.messages)
            }
        return before, earlier

    async def hear(self) -> None:
        """All that is said to it was said."""

    # ---- how its mind is asked

    async def tier(self) -> TierDecision:
        """A program that asks for what no mind of the company's can do is told so, and none is asked."""
        check_ability(await self.host.door.services[Minds].company(self.claimed.tenant_id), self.asked)
        return await self.host.tier(self.claimed, self.mind.config)

    def request(self, messages: Any) -> MindRequest:
        ask = self.mind.request(messages, self.claimed.trigger_kind)
        theirs = {tool.name: tool for tool in self._theirs()}
        tools = [] if self._must_call else [tool for tool in ask.tools if tool.name not in theirs]
        settings = dict(self.asked.settings)
        if theirs and self._must_call:
            settings["tool_choice"] = "required"
        if theirs and not self.asked.parallel:
            settings["parallel_tool_calls"] = False
        instructions = "\n\n".join((ask.instructions, self._told()))
        return replace(
            ask, instructions=instructions, tools=[*tools, *theirs.values()], settings=settings, stand_in=False
        )

    async def ask(self, messages: Any, on_text: OnText | None = None) -> tuple[Reply, TierDecision]:
        """What nobody hears is its own, such as a summary: the program's limits are not for that."""
        chosen, ask = await self.tier(), self.request(messages)
        if on_text is not None:
            stops = () if self.asked.checked else self.asked.stops
            ask = replace(ask, max_tokens=self._room(ask), stops=stops, enough=lambda: self._limit.ended)
        return await self.mind.answer(ask, chosen, on_text), chosen

    def _room(self, ask: MindRequest) -> int | None:
        """What one reply may take: the program's limit, and where hq's own tools are there, enough for a call of theirs. What is longer
        than an answer's pieces are anyway is no limit of a piece."""
        longest = self.asked.longest
        if longest is not None and len(ask.tools) > len(self._theirs()):
            longest = max(longest, CALL)
        return longest if longest is None or longest < LONGEST_ANSWER else None

    def _begin_anew(self) -> None:
        """What it says from here on is the answer. Of one that is checked only its length ends it: it is cut when it is known to fit."""
        self._limit, self._lines = TextLimit(() if self.asked.checked else self.asked.stops, self.asked.longest), 0

    def _hear_line(self) -> None:
        """One more reply: they are told as one text, with a gap between them."""
        self._lines += 1
        self._limit.feed("\n\n" if self._lines > 1 else "")

    def _told(self) -> str:
        """Behind what every session of the agent is told, so that this stays in the provider's cache."""
        longest = f"Your answer is cut after {self.asked.longest} tokens." if self.asked.longest else ""
        must = "Call one of the program's functions now." if self._must_call else ""
        format = answer_format.told(self.asked.format) if self.asked.format is not None else ""
        system = f"Its instructions:\n{self.asked.system}" if self.asked.system else ""
        parts = (TOLD, HOW_LONG[self.asked.verbosity], longest, must, format, system)
        return "\n\n".join(filter(None, parts))

    @property
    def _must_call(self) -> bool:
        """The first reply has to call something of the program's; what comes after its results is free."""
        return self.asked.choice not in ("auto", "none")

    def _theirs(self) -> list[ToolDefinition]:
        choice = self.asked.choice
        named = None if choice in ("auto", "required") else choice
        return [
            ToolDefinition(
                name=tool.name, description=tool.description, parameters_json_schema=tool.parameters, strict=tool.strict
            )
            for tool in self.asked.tools
            if choice != "none" and (named is None or tool.name == named)
        ]

    def listener(self) -> OnText:
        self._hear_line()
        draft = DraftWriter(self.record.journal)

        async def hear(piece: str) -> None:
            await draft(piece)
            self._limit.feed(piece)

        return hear

    def fullness(self) -> str:
        return super().fullness() or ("what one run may use is used" if self.mind.used_up else "")

    async def in_words_alone(self, refused: HistoryRefused) -> None:
        """What was said before is the program's, and it hears what is wrong with that."""

    async def finished(self) -> SessionEnded | None:
        if not self.talk.answered:
            return None
        if self._was_cut:
            return await self._answered()
        try:
            wrong = await self._lacks()
        except SchemaUnusable as error:
            return await self._give_up("refused", f"the JSON Schema cannot be used: {error}", param="format")
        if wrong is None:
            return await self._answered()
        if self._corrected >= CORRECTIONS:
            return await self._give_up("format", f"the model's answer does not fit what was asked for: {wrong}")
        self._corrected += 1
        nudge = f"That cannot be used: {wrong}. Answer again, and only as you were told to."
        await self.record.write(NudgeNote(nudge=nudge))
        self._begin_anew()
        return None

    @property
    def _was_cut(self) -> bool:
        """At the length that the program set: it gets what there is, and is told so."""
        last = self.talk.messages[-1]
        return bool(self.asked.longest) and isinstance(last, ModelResponse) and last.finish_reason == "length"

    async def _lacks(self) -> str | None:
        if self._must_call:
            return "none of the program's functions was called"
        return await answer_format.lacks(self.talk.spoken, self.asked.format) if self.asked.format is not None else None

    # ---- calls

    def makes(self, call: ToolCallPart) -> bool:
        return all(call.tool_name != tool.name for tool in self._theirs())

    def talks_on(self, things: Sequence[str]) -> bool:
        """It does not fall silent over what only the founder can decide, nor when an earlier call came back meanwhile."""
        return any(thing.startswith("approval:") for thing in things) or self.talk.spoken_to

    async def calls_made(self) -> SessionEnded | None:
        """Its own are made here. Where any is left, the program makes it: that is the answer."""
        left = list(self.talk.pending)
        if not left or any(map(self.makes, left)):
            return None
        if wrong := await self._unfit(left):
            return await self._have_called_again(left, wrong)
        if not self.asked.parallel:
            for call in left[1:]:
                await self.record.write(VerbStep(call=call.tool_call_id, ok=False, error=ONE_CALL.as_dict()))
        return await self.close("done", 0, "the program makes the calls")

    async def _unfit(self, left: Sequence[ToolCallPart]) -> str | None:
        """What is wrong with calls of functions that are strict."""
        strict = {tool.name: tool.parameters for tool in self.asked.tools if tool.strict}
        for call in left:
            if call.tool_name in strict and (
                wrong := await answer_format.unfit(call.args_as_json_str(), strict[call.tool_name])
            ):
                return f"the arguments of {call.tool_name} do not fit its schema: {wrong}"
        return None

    async def _have_called_again(self, left: Sequence[ToolCallPart], wrong: str) -> SessionEnded | None:
        """None of that reply is made: the program is told of all its calls at once."""
        if self._corrected >= CORRECTIONS:
            return await self._give_up("format", f"the model's call does not fit what was asked for: {wrong}")
        self._corrected += 1
        error = Refused.invalid(f"{MISFIT}{wrong}; call again what is to be called").as_dict()
        for call in left:
            await self.record.write(VerbStep(call=call.tool_call_id, ok=False, error=error))
        return None

    # ---- rest and end

    async def _answered(self) -> SessionEnded:
        """Answered, it is over, unless something that it asked for waits for the founder's yes."""
        if self.talk.unsettled:
            return await self.record.park(*resting(self.talk))
        return await self.close("done", 0, "answered")

    async def set_back(self, down: Outage) -> SessionEnded:
        return await self._give_up("outage", down.message)

    async def break_off(self, kind: str, why: str) -> SessionEnded:
        """Nobody will speak to it again: it is over, and who asked hears why. That is no incident of the company's."""
        return await self._give_up("refused", why)

    async def unanswered(self, error: HqError | OverBudget) -> SessionEnded:
        match error:
            case OverBudget():
                return await self._give_up("budget", error.why, error.wait.until if error.wait else None)
            case MindUnready():
                why = f"{error.message} ({error.hint})" if error.hint else error.message
                return await self._give_up("outage", why, error.until)
            case MindAway():
                return await self._give_up("outage", error.message, error.until)
            case MindBusy():
                return await self._give_up("busy", error.message, error.until)
            case Outage():
                return await self._give_up("outage", error.message)
            case MindDeclined():
                return await self._give_up("refused", f"{error.message}; {error.hint}")
            case _:
                return await self._give_up("refused", error.message, param=error.details.get("param"))

    async def _give_up(
        self, sort: str, why: str, until: datetime | None = None, param: str | None = None
    ) -> SessionEnded:
        await self.record.write(GivenUpNote(given_up=sort, why=why, until=until, param=param))
        return await self.close("failed", 2, why)


def _corrects(step: JournalStep) -> bool:
    """Whether a mind was told there that what it said cannot be used."""
    match step.payload:
        case NudgeNote():
            return True
        case VerbStep(error=error):
            return bool(error and error["message"].startswith(MISFIT))
        case _:
            return False
