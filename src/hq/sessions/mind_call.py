"""A mind call on a session's behalf: what it is told and offered, what that may cost, and when it is given up."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelRequest, TextPart, UserPromptPart
from pydantic_ai.tools import ToolDefinition

from hq import telemetry
from hq.context.letter import HOW_TO_ANSWER
from hq.door.caller import Caller
from hq.door.door import Door
from hq.door.toolset import Only, Tool, tools_for
from hq.engine.sessions.leases import Claimed
from hq.engine.sessions.steps import MindStep
from hq.minds.mind import Mind, MindDown, MindRequest, OnText, Reply
from hq.minds.policy import TierDecision
from hq.minds.prices import counted
from hq.sessions.config import AgentConfig
from hq.sessions.session_host import SessionHost
from hq.sessions.transcript import dump_response

SENTINEL = """When you have truly finished your current unit of work AND are not waiting on any tool result, subagent, review
decision, the founder's input, or another agent's proposal, emit on its own line:
<task-complete reason="..."/>
Only emit it when truly done. If you are waiting for anything, stay in the turn."""
BRIEFED: Only = {
    "hq_mission": (
        "accept", "decline", "counter", "plan", "note", "check", "submit", "delegate", "wait", "list", "show", "brief", "tree",
        "answer", "settle_plan", "sign_off",
    ),
    "hq_escalation": ("raise", "resolve", "pass_on", "withdraw", "list", "show"),
    "hq_agent": ("list", "ask", "send", "reply", "inbox"),
    "hq_ask": ("show", "withdraw"),
}  # fmt: skip
"""What a mission's brief and the news of it name: whoever works on one is offered that, whatever its files say."""
ADDRESSED: Only = {"hq_agent": ("reply", "inbox", "read")}
"""What a message that somebody waits for an answer to names."""
PATIENCE = 900.0
"""Seconds after which a mind that neither answers nor fails is given up."""


def offered(door: Door, held: Claimed, config: AgentConfig) -> Sequence[Tool]:
    """The tools that a session's rights allow, of those its agent has; some of them only to look."""
    who = Caller(
        held.id, held.tenant_id, held.principal_id, "agent", held.actor, held.scopes, None, None, "balanced", False
    )
    if config.tools is None:
        return tools_for(door.registry, door.catalogue, who, config.only)
    told = named(held)
    reading = frozenset(scope for scope in who.scopes if scope.partition(":")[0] == "read")
    looking = {tool.name: tool for tool in tools_for(door.registry, door.catalogue, replace(who, scopes=reading))}
    only: dict[str, Collection[str]] = dict(config.only)
    for name, actions in told.items():
        if name in config.only or name not in config.tools:
            only[name] = {*config.only.get(name, ()), *actions}
        elif name in config.reads and name in looking:
            only[name] = {*looking[name].actions, *actions}
    reads = set(config.reads) - set(told)
    tools = tools_for(door.registry, door.catalogue, who, only)
    return (
        *(tool for tool in tools if tool.name in {*config.tools, *told} - reads),
        *(tool for name, tool in looking.items() if name in reads.intersection(config.tools)),
    )


def named(held: Claimed) -> Only:
    """The tools that what woke a session tells it to use."""
    if held.trigger_kind == "mission":
        return BRIEFED
    return ADDRESSED if held.trigger.kind in HOW_TO_ANSWER else {}


def ask_of(messages: Any, config: AgentConfig, tools: Sequence[Tool], purpose: str) -> MindRequest:
    definitions = [
        ToolDefinition(name=tool.name, description=tool.description, parameters_json_schema=tool.schema)
        for tool in tools
    ]
    instructions = "\n\n".join((config.instructions, SENTINEL))
    return MindRequest(messages=messages, tools=definitions, instructions=instructions, purpose=purpose)


async def answered(
    company: SessionHost, held: Claimed, config: AgentConfig, ask: MindRequest, on_text: OnText | None
) -> Reply:
    """Ask under a reservation: what it may cost is set aside before, what it did cost is settled after."""
    reserved = await company.budget(held, ask, config)
    try:
        mind = await company.mind(held, ask)
        with telemetry.mind_span(mind.name) as span:
            reply = await _in_time(mind, ask, on_text)
            used = reply.usage
            telemetry.answered(span, reply.model, used.tokens_in, used.tokens_out, reply.cost_usd)
    except BaseException as error:
        await reserved.settle(None, error if isinstance(error, Exception) else None)
        raise
    await reserved.settle(reply)
    return reply


async def _in_time(mind: Mind, ask: MindRequest, on_text: OnText | None) -> Reply:
    """Minds have time-outs of their own; one that hangs all the same is given up here."""
    limit = asyncio.timeout(PATIENCE)
    try:
        async with limit:
            return await mind.answer(ask, on_text=on_text)
    except TimeoutError as error:
        if not limit.expired():
            raise
        raise MindDown(f"{mind.name} did not answer within {PATIENCE:.0f} seconds", timeout=True) from error


def entry(reply: Reply, chosen: TierDecision) -> MindStep:
    """What the journal keeps of a reply."""
    return MindStep(
        response=dump_response(reply.response),
        model=reply.model,
        tokens_in=reply.usage.tokens_in,
        tokens_out=reply.usage.tokens_out,
        tokens_counted=counted(reply.model, reply.usage),
        cost_usd=str(reply.cost_usd) if reply.cost_usd is not None else None,
        latency_ms=round(reply.latency_ms, 1),
        chosen=chosen.as_json(),
    )


def text_of(reply: Reply) -> str:
    return "\n".join(part.content for part in reply.response.parts if isinstance(part, TextPart))


def user_message(text: str) -> list[ModelMessage]:
    return [ModelRequest(parts=[UserPromptPart(content=text)])]
