"""A mind call on a session's behalf: what it is told and offered, what that may cost, and when it is given up."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelRequest, TextPart, UserPromptPart
from pydantic_ai.tools import ToolDefinition

from hq import telemetry
from hq.context.company_now import spelt
from hq.door.toolset import Tool
from hq.engine.sessions.leases import Claimed
from hq.engine.sessions.steps import MindStep
from hq.minds.mind import Heard, Mind, MindDown, MindRequest, OnText, Reply, SaysModel
from hq.minds.policy import TierDecision
from hq.minds.prices import counted
from hq.sessions.config import AgentConfig
from hq.sessions.kept_reply import dump_response
from hq.sessions.session_host import SessionHost
from hq.sessions.whole_answer import whole_answer

SENTINEL = """## How it ends

In a conversation your answer is the end. Otherwise, once the work is done and you wait for nothing, say so on a line of its own:
<task-complete reason="what is now true"/>
Add memory_entry_count="0" to it where nothing was learned. While something is still open, call the tool that goes on or waits."""
PATIENCE = 900.0
"""Seconds after which a mind that neither answers nor fails is given up."""


def ask_of(messages: Any, config: AgentConfig, tools: Sequence[Tool], purpose: str, now: str = "") -> MindRequest:
    """Tools and instructions come first and are the same in every call, also where none of them will be needed."""
    definitions = [
        # Not strictly: a field that there is not the door refuses, and says which there are; the words for it cost in every call.
        ToolDefinition(name=tool.name, description=tool.description, parameters_json_schema=tool.schema, strict=False)
        for tool in tools
    ]
    instructions = "\n\n".join(filter(None, (config.instructions, SENTINEL, config.identity)))
    return MindRequest(
        messages=messages, tools=definitions, instructions=instructions, purpose=purpose, now=now, model=config.model
    )


def clock_line(now: datetime) -> str:
    """For who is told nothing else of now."""
    return f"It is {spelt(now)}."


async def answered(
    company: SessionHost, held: Claimed, config: AgentConfig, ask: MindRequest, on_text: OnText | None
) -> Reply:
    """A whole answer, in as many calls as that takes, each under a reservation of its own."""
    return await whole_answer(ask, lambda asked, hears: _once(company, held, config, asked, hears), on_text)


async def _once(
    company: SessionHost, held: Claimed, config: AgentConfig, ask: MindRequest, on_text: OnText | None
) -> Reply:
    """Ask under a reservation: what it may cost is set aside before, what it did cost is settled after."""
    reserved = await company.budget(held, ask, config)
    heard = Heard()
    ask = replace(reserved.within(ask), heard=heard)
    try:
        mind = await company.mind(held, ask)
        with telemetry.mind_span(mind.says(ask.tier) if isinstance(mind, SaysModel) else mind.name) as span:
            reply = reserved.weighed(await _in_time(mind, ask, on_text))
            used = reply.usage
            telemetry.answered(span, reply.model, used.tokens_in, used.tokens_out, reply.cost_usd)
    except BaseException as error:
        await reserved.settle(heard.by(error), error if isinstance(error, Exception) else None)
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
    """What the journal keeps of a reply. How full the context is the last call says; what was spent, all of them."""
    asked = (*reply.earlier, reply)
    costs = [each.cost_usd for each in asked]
    known = [cost for cost in costs if cost is not None]
    return MindStep(
        response=dump_response(reply.response),
        model=reply.model,
        tokens_in=reply.usage.tokens_in,
        tokens_out=reply.usage.tokens_out,
        tokens_counted=sum(counted(each.model, each.usage) for each in asked),
        cost_usd=str(sum(known, Decimal(0))) if len(known) == len(costs) else None,
        latency_ms=round(sum(each.latency_ms for each in asked), 1),
        chosen=chosen.as_json(),
    )


def text_of(reply: Reply) -> str:
    return "\n".join(part.content for part in reply.response.parts if isinstance(part, TextPart))


def user_message(text: str) -> list[ModelMessage]:
    return [ModelRequest(parts=[UserPromptPart(content=text)])]
