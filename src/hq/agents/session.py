"""One session: ask the mind, write down what it says, make its calls through the door, until it is done or has to wait.

The journal is all there is. Killed at any instant, the next worker reads it and goes on: a reply that was written down
is not asked for again, a call that has an outcome is not made again, and one that has none is made under its own key.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import structlog
from pydantic_ai.messages import ModelMessage, ModelRequest, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.tools import ToolDefinition

from hq import telemetry
from hq.agents import snapshot
from hq.agents.company import HANDOVER, Company, OverBudget
from hq.agents.config import AgentConfig
from hq.agents.transcript import NO_MEMORIES, Transcript, dump_response
from hq.agents.workers import brief
from hq.door.caller import Caller
from hq.door.outcome import Outcome
from hq.door.toolset import Tool, tools_for, wanted
from hq.door.tx import Call, Journalled
from hq.engine.sessions.journal import Fenced, Journal
from hq.engine.sessions.leases import Claimed
from hq.errors import HqError, Outage, Refused
from hq.minds.mind import Ask, Mind, MindBusy, MindDown, Reply
from hq.minds.policy import Decision

log = structlog.get_logger("hq.session")
FULL = 0.75
SETBACKS = 3
TRIES = 3
"""How often a session that takes its worker down with it is tried again, further apart each time."""
SENTINEL = """When you have truly finished your current unit of work AND are not waiting on any tool result, subagent, review
decision, the founder's input, or another agent's proposal, emit on its own line:
<task-complete reason="..."/>
Only emit it when truly done. If you are waiting for anything, stay in the turn."""
PATIENCE = 900.0
"""Seconds after which a mind that neither answers nor fails is given up."""
LONGEST = 1_000_000
"""Characters of what a session leaves as its text."""
NUDGE = (
    'You neither called a tool nor said that you are done. Go on, or end with <task-complete reason="..."/> on a line '
    "of its own."
)
SUMMARISE = (
    "The context is nearly full. Write down, for yourself, everything you need to go on with the task at hand: what was "
    "asked, what was done and found, what is still open. Only that; call no tool."
)


@dataclass(frozen=True)
class Ended:
    """How a session came to rest: waiting, or over with an exit code (0 done, 1 budget, 2 error, 3 stopped)."""

    state: str
    exit_code: int = 0
    why: str = ""


class Session:
    def __init__(self, company: Company, claimed: Claimed, journal: Journal) -> None:
        self.company = company
        self.claimed = claimed
        self.journal = journal
        self.config: AgentConfig
        self.talk = Transcript()
        self.tools: Sequence[Tool] = ()
        self.stop: str | None = claimed.stop
        self.patience = PATIENCE
        self.deadline: datetime | None = None
        """When it is stopped with what it has by then."""
        self.leave = False
        """Set to let the session be handed back at its next step."""

    async def run(self) -> Ended:
        """Go on from wherever the journal is. Comes back when the session waits, is over, or is to be left."""
        held = self.claimed
        with telemetry.session_span(held.agent, str(held.id), held.kind, held.trigger_kind) as span:
            try:
                ended = await self._run()
            except Fenced:
                log.info("fenced", session=str(held.id), holder=held.holder)
                ended = Ended("fenced")
            failed = "failed" if ended.state == "failed" else None
            telemetry.ended(span, failed, **{"hq.session.state": ended.state})
        return ended

    async def _run(self) -> Ended:
        if self.claimed.tries >= TRIES:
            await self.journal.read()
            return await self._fail("crash", f"its worker was lost {self.claimed.tries} times at the same step")
        try:
            await self._begin()
        except Refused as error:
            return await self._fail("crash", error.message)
        while True:
            if self.leave:
                await self.journal.hand_back()
                return Ended("queued")
            if self._stops_now:
                return await self._stopped()
            if self.deadline and self._now() >= self.deadline:
                return await self._time_out()
            ended = await self._calls() if self.talk.pending else await self._turn()
            if ended is not None:
                return ended

    # ---- beginning

    async def _begin(self) -> None:
        steps = await self.journal.read()
        if not steps:
            await self._open()
        else:
            self.config = AgentConfig.from_dict(steps[0].payload["config"])
            self.talk = Transcript.of(steps)
        if timeout := self.claimed.trigger.get("timeout"):
            self.deadline = (steps[0].at if steps else self._now()) + timedelta(seconds=timeout)
        self.tools = self._offered()
        await self._hear()

    async def _open(self) -> None:
        if self.claimed.kind == "worker":
            self.config = brief.config(self.claimed)
            await self._opened(brief.prompt(self.claimed))
            return
        config = await self.company.config(self.claimed)
        self.config = config
        context = await self._do("context.show", {"agent": config.slug, "session": str(self.claimed.id)})
        if not context.ok:
            raise Refused(f"no session without its context: {(context.error or {}).get('message')}")
        await self._opened(context.data["text"])

    async def _opened(self, prompt: str) -> None:
        payload = {"config": self.config.as_dict(), "prompt": prompt}
        await self.journal.append("open", payload)
        self.talk.add("open", payload)

    async def _hear(self) -> None:
        """Take up what was said to a thread meanwhile."""
        if self.claimed.kind == "thread" and (said := await self.journal.take_messages()):
            self.talk.add("wake", said)

    def _offered(self) -> Sequence[Tool]:
        registry, catalogue, who = self.company.door.registry, self.company.door.catalogue, self._who()
        tools = tools_for(registry, catalogue, who)
        names = self.config.tools
        if names is None:
            return tools
        looking = tools_for(registry, catalogue, replace(who, scopes=who.scopes & {"read"}))
        return (
            *(tool for tool in tools if tool.name in names and tool.name not in self.config.reads),
            *(tool for tool in looking if tool.name in names and tool.name in self.config.reads),
        )

    def _who(self) -> Caller:
        held = self.claimed
        return Caller(
            held.id, held.tenant_id, held.principal_id, "agent", held.actor, held.scopes, None, None, "balanced", False
        )

    # ---- a turn of the mind

    async def _turn(self) -> Ended | None:
        if self.talk.turns and (ended := await self._finished()):
            return ended
        if self.talk.turns >= self.config.max_turns:
            return await self._fail("stop_integrity", f"{self.config.max_turns} turns without an end")
        if (limit := self.config.tokens_per_run) and self.talk.spent_tokens >= limit:
            return await self._close("failed", 1, f"used {self.talk.spent_tokens} of {limit} tokens in one run")
        if why := self.company.looping(self.talk, self.config):
            return await self._fail("loop", why)
        return await self._ask()

    async def _finished(self) -> Ended | None:
        """Its last word called nothing: it is done, or it has to be told once to say so. A thread has said what it had
        to say, and rests until it is spoken to again."""
        if self.claimed.kind == "thread" and self.talk.answered:
            return await self._wait({"rests": True}, [], None)
        if (done := self.talk.complete) is not None:
            reason = NO_MEMORIES.sub("", done.group("reason") or "").rstrip("; ")
            return await self._complete(reason, bool(NO_MEMORIES.search(done.group(0))))
        if not self.talk.answered:
            return None
        if not self.talk.nudged:
            await self._note({"nudge": NUDGE})
            return None
        return await self._fail("stop_integrity", "ended without saying that the task is complete")

    async def _ask(self) -> Ended | None:
        limit = asyncio.timeout(self._left())
        try:
            async with limit:
                if self.talk.tokens > FULL * self.config.context_window:
                    await self._compact()
                reply, chosen = await self._answered(self._asked(self.talk.next_messages()))
        except TimeoutError:
            if not limit.expired():
                raise
            return await self._time_out()
        except OverBudget as over:
            if not over.waits_for and over.until is None:
                return await self._close("failed", 1, over.why)
            return await self._wait({"budget": over.why}, over.waits_for, over.until, over.since)
        except MindBusy as busy:
            return await self._wait({"busy": busy.message}, [], busy.until)
        except Outage as down:
            return await self._set_back(down)
        except HqError as error:
            return await self._fail("error_rate", error.message)
        payload = {
            "response": dump_response(reply.response),
            "model": reply.model,
            "tokens_in": reply.usage.tokens_in,
            "tokens_out": reply.usage.tokens_out,
            "cost_usd": str(reply.cost_usd) if reply.cost_usd is not None else None,
            "latency_ms": round(reply.latency_ms, 1),
            "chosen": chosen.as_dict(),
        }
        await self.journal.append("mind", payload)
        self.talk.add("mind", payload)
        return None

    def _asked(self, messages: Any) -> Ask:
        definitions = [
            ToolDefinition(name=tool.name, description=tool.description, parameters_json_schema=tool.schema)
            for tool in self.tools
        ]
        return Ask(
            messages=messages,
            tools=definitions,
            instructions=f"{self.config.instructions}\n\n{SENTINEL}",
            purpose=self.claimed.trigger_kind,
        )

    async def _answered(self, ask: Ask) -> tuple[Reply, Decision]:
        """Ask under a reservation: what it may cost is set aside before, what it did cost is settled after."""
        chosen = await self.company.tier(self.claimed, self.config)
        ask = replace(ask, tier=chosen.tier)
        reserved = await self.company.budget(self.claimed, ask, self.config)
        try:
            mind = await self.company.mind(self.claimed, ask)
            with telemetry.mind_span(mind.name) as span:
                reply = await self._in_time(mind, ask)
                used = reply.usage
                telemetry.answered(span, reply.model, used.tokens_in, used.tokens_out, reply.cost_usd)
        except BaseException as error:
            await reserved.settle(None, error if isinstance(error, Exception) else None)
            raise
        await reserved.settle(reply)
        return reply, chosen

    async def _in_time(self, mind: Mind, ask: Ask) -> Reply:
        """Minds have time-outs of their own; one that hangs all the same is given up here."""
        limit = asyncio.timeout(self.patience)
        try:
            async with limit:
                return await mind.answer(ask)
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise MindDown(f"{mind.name} did not answer within {self.patience:.0f} seconds", timeout=True) from error

    async def _set_back(self, down: Outage) -> Ended | None:
        if self.talk.setbacks + 1 >= SETBACKS:
            return await self._fail("error_rate", down.message)
        await self._note({"setback": down.message})
        return await self._wait({"down": down.message}, [], self._now() + timedelta(seconds=2**self.talk.setbacks))

    async def _compact(self) -> None:
        reply, _ = await self._answered(self._asked([*self.talk.next_messages(), *_said(SUMMARISE)]))
        await self._note({"summary": f"What happened so far:\n{_text_of(reply)}"})

    # ---- the mind's calls

    async def _calls(self) -> Ended | None:
        for call in list(self.talk.pending):
            if self._stops_now or self.leave:
                return None
            with telemetry.tool_span(call.tool_name, call.tool_call_id) as span:
                outcome = await self._call(call)
                code = (outcome.error or {}).get("code")
                telemetry.ended(span, code, **{"hq.verb": outcome.action})
            if code == "fenced":
                raise Fenced
            if code == "unknown_outcome":
                await self._raise(
                    "crash", f"{outcome.action} may have happened or not: check before it is repeated", call
                )
            if code == "waiting":
                things = outcome.data["waits_for"]
                since = outcome.data.get("waits_since", outcome.sequence)
                return await self._wait(
                    {"call": call.tool_call_id, "for": things},
                    [things] if isinstance(things, str) else things,
                    None,
                    since,
                )
            if code == "outage" and outcome.action_id is None:
                return await self._set_back(Outage((outcome.error or {})["message"]))
        return None

    async def _call(self, call: ToolCallPart) -> Outcome:
        step = self.journal.last + 1
        where = Journalled(self.claimed.id, step, self.claimed.holder, call.tool_call_id)
        try:
            meant = wanted(self.company.door.registry, call.tool_name, _arguments(call))
        except Refused as error:
            payload = {"call": call.tool_call_id, "ok": False, "error": error.as_dict()}
            await self.journal.append("verb", payload)
            self.talk.add("verb", payload)
            return Outcome.failed(call.tool_name, error, self.claimed.task_id)
        outcome = await self._do(meant.verb, meant.args, where, meant.reason, meant.at)
        payload = {"call": call.tool_call_id, "verb": meant.verb, "ok": outcome.ok, "taint": sorted(outcome.taint)}
        payload |= {"data": outcome.data} if outcome.ok else {"error": outcome.error}
        if outcome.replayed and (outcome.error or {}).get("code") != "waiting":
            await self.journal.append("verb", payload)  # it was done before a crash, only not written down
            self.talk.add("verb", payload)
        elif (outcome.error or {}).get("code") not in ("waiting", "fenced") and outcome.action_id is not None:
            self.journal.last = step
            self.talk.add("verb", payload)
        return outcome

    async def _do(
        self,
        verb: str,
        args: dict[str, Any],
        journal: Journalled | None = None,
        reason: str = "",
        at: str | None = None,
        key: str | None = None,
    ) -> Outcome:
        own = journal.tool_call if journal else key
        return await self.company.door.call(
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
                taint=self.claimed.taint | self.talk.taint,
            )
        )

    # ---- rest and end

    async def _wait(
        self, payload: dict[str, Any], things: Sequence[str], until: Any, since: str | None = None
    ) -> Ended | None:
        wake_at = min((moment for moment in (until, self.deadline) if moment), default=None)
        state = await self.journal.park(payload, things, int(since or 0), wake_at)
        return Ended("waiting") if state == "waiting" else Ended("queued")

    @property
    def _stops_now(self) -> bool:
        """Asked to hand over, it first makes the calls the mind is waiting for."""
        return bool(self.stop) and not (self.stop.startswith(HANDOVER) and self.talk.pending)

    async def _stopped(self) -> Ended:
        """Asked to stop. Where it is to hand over, it leaves what the next session needs before it goes."""
        why = self.stop or ""
        if why.startswith(HANDOVER) and self.config.remembers and self.talk.turns:
            if self.talk.snapshot is None:
                await self._note({"snapshot": {**await self._snapshot(), "reason": why}})
            await self._finalise()
        return await self._close("stopped", 3, why)

    async def _finalise(self) -> Outcome:
        return await self._do(
            "session.finalise",
            {"session": str(self.claimed.id), "model": self.talk.model, **(self.talk.snapshot or {})},
            key="finalise",
        )

    async def _complete(self, reason: str, nothing_learned: bool) -> Ended | None:
        """Done by its own word: it leaves a record, its memories and a memo. Only then is it closed."""
        if self.config.remembers:
            if self.talk.snapshot is None:
                left = (
                    {"summary": self.talk.spoken, "nothing_learned": True}
                    if nothing_learned
                    else await self._snapshot()
                )
                await self._note({"snapshot": {**left, "reason": reason}})
            left = await self._finalise()
            if not left.ok:
                return await self._set_back(Outage((left.error or {})["message"]))
        return await self._close("done", 0, reason)

    async def _snapshot(self) -> dict[str, Any]:
        try:
            reply, _ = await self._answered(self._asked([*self.talk.next_messages(), *_said(snapshot.PROMPT)]))
        except (HqError, OverBudget):  # the work is done; that it was not summed up does not undo it
            return snapshot.read("", self.talk.spoken)
        return snapshot.read(_text_of(reply), self.talk.spoken)

    async def _fail(self, kind: str, why: str) -> Ended:
        """Raised once, as an incident; never tried for ever."""
        await self._raise(kind, why)
        return await self._close("failed", 2, why)

    async def _raise(self, kind: str, why: str, call: ToolCallPart | None = None) -> None:
        args = {"session": str(self.claimed.id), "kind": kind, "summary": why[:300]}
        await self._do("incident.raise", args, key=f"incident:{call.tool_call_id}" if call else "incident")

    async def _time_out(self) -> Ended:
        return await self._close("stopped", 3, f"out of time after {self.claimed.trigger['timeout']} s", timed_out=True)

    async def _close(self, state: str, exit_code: int, why: str, *, timed_out: bool = False) -> Ended:
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
        return Ended(state, exit_code, why)

    async def _note(self, payload: dict[str, Any]) -> None:
        await self.journal.append("note", payload)
        self.talk.add("note", payload)

    def _now(self) -> datetime:
        return self.company.door.clock.now()

    def _left(self) -> float | None:
        return (self.deadline - self._now()).total_seconds() if self.deadline else None


def _arguments(call: ToolCallPart) -> dict[str, Any]:
    try:
        return call.args_as_dict()
    except ValueError as error:
        raise Refused.invalid(f"the arguments of {call.tool_name} are not a JSON object") from error


def _text_of(reply: Reply) -> str:
    return "\n".join(part.content for part in reply.response.parts if isinstance(part, TextPart))


def _said(text: str) -> list[ModelMessage]:
    return [ModelRequest(parts=[UserPromptPart(content=text)])]
