"""A completion's session: an agent answers one request of a program, with its own tools inside, and is done.

What the program has functions for is not called here: the reply that wants them called is the answer. Nobody speaks to it in
between, nothing of it is remembered, and it never waits for a mind: a program is told at once, and knows how to ask again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from pydantic_ai.messages import ModelMessage, ToolCallPart
from pydantic_ai.tools import ToolDefinition

from hq.database.queries import beside
from hq.door.outcome import Outcome
from hq.engine.sessions.journal import JournalStep
from hq.engine.sessions.rows import KeptStepRow
from hq.engine.sessions.steps import GivenUpNote, NudgeNote, OpenStep, SessionWait, VerbStep, WaitStep, read_step
from hq.engine.tenancy import inside
from hq.errors import Outage, Refused
from hq.minds.mind import MindRequest
from hq.minds.service import Minds
from hq.sessions.completions import answer_format
from hq.sessions.completions.ability import check_ability
from hq.sessions.completions.history import Earlier, done_in, dumped, history, sessions_in
from hq.sessions.completions.request import CompletionArgs
from hq.sessions.conversation import ConversationSession
from hq.sessions.journalled_session import SessionEnded
from hq.sessions.run_wishes import HOW_LONG

SQL = beside(__file__)
CORRECTIONS = 2
"""How often a mind is told that its answer does not fit."""
TOLD = """## A program asks
A program talks to you as to a model. What it says follows, and your answer goes to it: it does not see what you do with your own
tools, only your last words, and there is no later. Answer what it asks."""
ONE_CALL = Refused.invalid("the program takes one call at a time; the first of these goes to it")


class CompletionSession(ConversationSession):
    asked: CompletionArgs

    # ---- beginning

    async def _begin(self) -> None:
        async with inside(self.company.door.pool, self.claimed.tenant_id) as reader:
            request = await reader.the_scalar(SQL["request"], {"id": self.claimed.id}, of=dict)
        self.asked = CompletionArgs.model_validate(request)
        self._corrected = 0
        await super()._begin()

    async def _begun(self, steps: Sequence[JournalStep]) -> None:
        self._corrected = sum(isinstance(step.payload, NudgeNote) for step in steps)
        await self._settle()

    async def _open(self) -> None:
        config = self.config = await self.company.config(self.claimed)
        told = await self._tell(self.asked.said)
        if not told.ok:
            raise Refused(f"no session without its context: {(told.error or {}).get('message')}")
        self.config = replace(config, identity=told.data["system"])
        before, earlier = await self._earlier()
        past = dumped(history(before, self.asked.messages, earlier))
        await self._write(OpenStep(config=self.config.as_json(), past=past, taint=sorted(told.taint)))

    async def _earlier(self) -> tuple[list[ModelMessage], Earlier]:
        """What the completion said and did that this one goes on from, and those whose calls the program made."""
        before: list[ModelMessage] = []
        if self.asked.previous:
            was, did = done_in(self.asked.previous, await self._steps_of(self.asked.previous))
            before = [*was, *did]
        earlier = {id: done_in(id, await self._steps_of(id))[1] for id in sessions_in(self.asked.messages)}
        return before, earlier

    async def _steps_of(self, completion: UUID) -> list[JournalStep]:
        async with inside(self.company.door.pool, self.claimed.tenant_id) as reader:
            rows = await reader.rows(SQL["steps"], {"id": completion}, into=KeptStepRow)
        return [JournalStep(row.step, read_step(row.kind, row.payload), row.action_id, row.created_at) for row in rows]

    async def _hear(self, steps: Sequence[JournalStep] | None = None) -> None:
        """All that is said to it was said."""

    # ---- a turn of the mind

    async def _ask(self) -> SessionEnded | None:
        company = await self.company.door.services[Minds].company(self.claimed.tenant_id)
        try:
            check_ability(company, self.asked)
        except Refused as error:
            return await self._give_up("refused", error.message, param=error.details["param"])
        return await super()._ask()

    def _asked(self, messages: Any) -> MindRequest:
        ask = super()._asked(messages)
        theirs = {tool.name: tool for tool in self._theirs()}
        tools = [] if self._must_call else [tool for tool in ask.tools if tool.name not in theirs]
        settings = dict(self.asked.settings)
        if theirs and self._must_call:
            settings["tool_choice"] = "required"
        if theirs and not self.asked.parallel:
            settings["parallel_tool_calls"] = False
        return replace(
            ask,
            instructions="\n\n".join((ask.instructions, self._told())),
            tools=[*tools, *theirs.values()],
            settings=settings,
        )

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

    async def _finished(self) -> SessionEnded | None:
        if not self.talk.answered:
            return None
        if (wrong := self._lacks()) is None:
            return await self._rest("success")
        if self._corrected >= CORRECTIONS:
            return await self._give_up("format", f"the model's answer does not fit what was asked for: {wrong}")
        self._corrected += 1
        await self._write(NudgeNote(nudge=f"That cannot be used: {wrong}. Answer again, and only as you were told to."))
        return None

    def _lacks(self) -> str | None:
        if self._must_call:
            return "none of the program's functions was called"
        return answer_format.lacks(self.talk.spoken, self.asked.format) if self.asked.format is not None else None

    # ---- calls

    async def _calls(self) -> SessionEnded | None:
        """Its own are made here. Where any is left, the program makes it: that is the answer."""
        ended = await super()._calls()
        left = list(self.talk.pending)
        if ended is not None or not left or not all(map(self._is_theirs, left)):
            return ended
        if not self.asked.parallel:
            for call in left[1:]:
                await self._write(VerbStep(call=call.tool_call_id, ok=False, error=ONE_CALL.as_dict()))
        return await self._close("done", 0, "the program makes the calls")

    async def _call(self, call: ToolCallPart) -> Outcome:
        if self._is_theirs(call):
            return Outcome(True, call.tool_name, None, None, self.claimed.task_id)
        return await super()._call(call)

    def _is_theirs(self, call: ToolCallPart) -> bool:
        return any(call.tool_name == tool.name for tool in self._theirs())

    # ---- rest and end

    async def _rest(self, status: str, **more: Any) -> SessionEnded:
        """Answered, it is over, unless something that it asked for waits for the founder's yes."""
        return await self._lie_down(**more) if self.talk.unsettled else await self._close("done", 0, "answered")

    async def _wait(self, payload: WaitStep, wait: SessionWait) -> SessionEnded:
        if payload.busy:
            return await self._give_up("busy", payload.busy, wait)
        if payload.budget:
            return await self._give_up("budget", payload.budget, wait)
        return await super()._wait(payload, wait)

    async def _set_back(self, down: Outage) -> SessionEnded | None:
        return await self._give_up("outage", down.message)

    async def _fail(self, kind: str, why: str) -> SessionEnded:
        """What a mind refuses is no incident of the company's: who asked hears of it."""
        return await self._give_up("refused", why) if kind == "error_rate" else await super()._fail(kind, why)

    async def _out_of_budget(self, why: str) -> SessionEnded:
        return await self._give_up("budget", why)

    async def _declined(self, why: str) -> SessionEnded:
        return await self._give_up("refused", why)

    async def _break_off(self, kind: str, why: str) -> SessionEnded:
        """Nobody will speak to it again: it is over, and who asked hears why."""
        return await self._give_up("refused", why)

    async def _give_up(
        self, sort: str, why: str, wait: SessionWait | None = None, param: str | None = None
    ) -> SessionEnded:
        await self._write(GivenUpNote(given_up=sort, why=why, until=wait.until if wait else None, param=param))
        return await self._close("failed", 2, why)
